#!/usr/bin/env node
// Plays a random legal move. The hub lists the legal moves before each `go`.
let moves = [];
const say = (...lines) => process.stdout.write(lines.join("\n") + "\n");
const answers = {
  ugi: () => say("id name tiny-javascript", "protocol 1 legal", "ugiok"),
  isready: () => say("readyok"),
  legal: (words) => { moves = words; },
  "legal+": (words) => { moves = moves.concat(words); },
  go: () => say(`bestmove ${moves[Math.floor(Math.random() * moves.length)]}`),
  quit: () => process.exit(0),
};
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [word, ...rest] = line.trim().split(/\s+/);
  answers[word]?.(rest);
});
