// Plays a random legal move. The hub lists the legal moves before each `go`. System.out.println flushes.
import java.io.*;
import java.util.*;
import java.util.concurrent.ThreadLocalRandom;

class Tiny {
    public static void main(String[] arguments) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in));
        var moves = new ArrayList<String>();
        for (var line = input.readLine(); line != null; line = input.readLine()) {
            var words = List.of(line.trim().split("\\s+"));
            switch (words.get(0)) {
                case "ugi" -> System.out.println("id name tiny-java\nprotocol 1 legal\nugiok");
                case "isready" -> System.out.println("readyok");
                case "legal" -> { moves.clear(); moves.addAll(words.subList(1, words.size())); }
                case "legal+" -> moves.addAll(words.subList(1, words.size()));
                case "go" -> System.out.println("bestmove "
                        + moves.get(ThreadLocalRandom.current().nextInt(moves.size())));
                case "quit" -> { return; }
            }
        }
    }
}
