// Plays a random move of the line `legal`, which the hub sends before each `go`. os.Stdout has no buffer.
package main

import "bufio"
import "os"
import "strings"
import "time"

func main() {
	answers := map[string]string{
		"ugi":     "id name tiny-go\nprotocol 1 legal\nugiok\n",
		"isready": "readyok\n",
	}
	for input := bufio.NewScanner(os.Stdin); input.Scan() && input.Text() != "quit"; {
		word, rest, _ := strings.Cut(strings.TrimSpace(input.Text()), " ")
		if word == "legal" {
			moves := strings.Fields(rest)
			answers["go"] = "bestmove " + moves[time.Now().Nanosecond()%len(moves)] + "\n"
		}
		os.Stdout.WriteString(answers[word])
	}
}
