// Shows the positions of one game. Each position is a list of indexes of SVG elements.
"use strict";

const find = (id) => document.getElementById(id);
const STEP = 700; // milliseconds between two positions while the game runs
const put = (id, text) => { if (find(id)) find(id).textContent = text; }; // a framed page has only the board
let game = JSON.parse(find("replay").textContent);
let last = game.frames.length - 1;
let now = last;
let timer = null;
const thoughts = find("said") ?? document.createElement("div"); // a page in a frame of another site has none
const boards = thoughts.dataset.boards;
const drawn = new Map(); // the boards after the moves of lines, by their address
let ghost = null; // the move of a line whose board is shown

function show(frame) {
  now = Math.min(Math.max(frame, 0), last);
  const ply = now - game.opening;
  find("board").classList.remove("ghost");
  find("items").innerHTML = game.frames[now].map((item) => game.items[item]).join("");
  find("says").textContent = game.says[now];
  find("caption").textContent = game.captions[now];
  put("position", game.positions[now]);
  const from = find("from-here");
  if (from) from.hidden = game.turns[now] < 0;
  if (from) from.search = new URLSearchParams({ game: new URLSearchParams(from.search).get("game"), start: game.positions[now] });
  find("slide").value = now;
  find("slide").setAttribute("aria-valuetext", game.says[now]);
  find("here")?.setAttribute("href", `#ply=${ply}`);
  for (const id of ["first", "back"]) find(id).disabled = now === 0;
  for (const id of ["forward", "last"]) find(id).disabled = now === last;
  document.querySelector("a[aria-current=step]")?.removeAttribute("aria-current");
  find(`ply=${ply}`)?.setAttribute("aria-current", "step");
  showPlayers(ply);
  showChance();
  moveCursors(ply);
}

// Shows the chances of two players at the position, as boards.js does.
function showChance() {
  const bar = document.querySelector(".stage .chance");
  if (!bar) return;
  const chance = game.chances[now];
  bar.classList.toggle("unknown", chance === null);
  bar.setAttribute("aria-label", bar.getAttribute("aria-label").replace(/: [^:]*$/, `: ${chance === null ? "not known" : `${chance} %`}`));
  bar.querySelector(".first").setAttribute("y", `${100 - (chance ?? 50)}%`);
  bar.querySelector(".first").setAttribute("height", `${chance ?? 50}%`);
}

// Shows what players of a running game report now and did not report before.
function showSaid() {
  if (!find("thoughts")) return;
  find("thoughts").hidden = !game.said.length;
  find("agreement").hidden = !game.said.includes("line");
  for (const value of thoughts.querySelectorAll("[data-value]:not([data-value=score])")) {
    const row = value.closest("dd");
    row.hidden = row.previousElementSibling.hidden = !game.said.includes(value.dataset.value);
  }
}

function showPlayers(ply) {
  const played = game.plies.slice(0, Math.max(ply, 0));
  for (const strip of document.querySelectorAll(".strip")) {
    const seat = Number(strip.dataset.seat);
    const latest = played.findLast((ply) => ply.seat === seat);
    const over = now === last && !game.running;
    const clock = strip.querySelector(".clock");
    const said = strip.querySelector(".said");
    if (clock) clock.textContent = latest?.clock || game.clocks[seat];
    said.textContent = over ? game.results[seat] : latest?.score ?? "";
    said.classList.toggle("result", over);
    strip.classList.toggle("turn", !over && game.turns[now] === seat);
    const left = seconds(clock?.textContent ?? "");
    strip.classList.toggle("low", left < 10 && left < seconds(game.clocks[seat]) / 5);
    showThought(seat, ply);
  }
  put("agreement", game.plies[ply - 1]?.agreement ?? "");
}

// Shows what a player last said up to a ply. The moves of its line are buttons that show the position after them.
function showThought(seat, ply) {
  const box = document.querySelector(`[data-said="${seat}"]`);
  if (!box) return;
  const at = game.plies.slice(0, Math.max(ply, 0)).findLastIndex((one) => one.seat === seat);
  const { score, thought = {} } = game.plies[at] ?? {};
  const { depth, nodes, speed, hash, line: { moves = [], illegal, written } = {} } = thought;
  for (const [name, value] of Object.entries({ score, depth, nodes, speed, hash })) {
    box.querySelector(`[data-value=${name}]`).textContent = value || "–";
  }
  const line = box.querySelector("[data-value=line]");
  const key = `${at} ${moves} ${illegal}`;
  if (line.dataset.key === key) return; // the reader may be in it
  line.dataset.key = key;
  const parts = (written ?? moves).map((text, index) => {
    const part = document.createElement(boards ? "button" : "span");
    if (boards) Object.assign(part, { type: "button", tabIndex: index ? -1 : 0 });
    part.textContent = text;
    return part;
  });
  if (illegal) {
    const rest = document.createElement("span");
    rest.className = "muted";
    rest.textContent = `${illegal} is not legal`;
    parts.push(rest);
  }
  line.replaceChildren(...(parts.length ? parts.flatMap((part) => [part, " "]) : ["–"]));
  line.scrollTop = 0;
}

// Asks the server for the boards after the moves of a line; a folder of files shows none.
function lineBoards(at) {
  const removed = game.plies.slice(0, at).map((one) => one.move).filter((text) => text.startsWith("!"));
  const moves = [...removed, ...game.plies[at].thought.line.moves].join(" ");
  const address = `${boards}&${new URLSearchParams({ position: game.positions[at + game.opening], moves })}`;
  if (!drawn.has(address)) drawn.set(address, load(address, removed.length));
  return drawn.get(address);
}

async function showGhost(button) {
  ghost = button;
  stop();
  const line = button.parentElement;
  const index = [...line.querySelectorAll("button")].indexOf(button);
  const after = (await lineBoards(parseInt(line.dataset.key, 10)))[index];
  if (ghost !== button || !after) return;
  find("items").innerHTML = after.items;
  find("board").classList.add("ghost");
  find("says").textContent = `${line.getAttribute("aria-label")}, move ${index + 1}: ${button.textContent}`;
  find("caption").textContent = after.caption;
}

function hideGhost() {
  ghost = null;
  if (find("board").classList.contains("ghost")) show(now);
}

// The seconds of a clock such as 1:23.4 or 1:02:03.
function seconds(text) {
  return text.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
}

function moveCursors(ply) {
  for (const line of document.querySelectorAll("line.cursor")) {
    const { low, high, left, right } = line.dataset;
    const share = Math.min(Math.max((ply - low) / Math.max(high - low, 1), 0), 1);
    const x = Number(left) + share * (right - left);
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
  }
}

function go(frame) {
  show(frame);
  history.replaceState(null, "", `${location.pathname}#ply=${now - game.opening}`);
  reveal();
}

function stop() {
  clearInterval(timer);
  timer = null;
  find("run").setAttribute("aria-pressed", "false");
  find("run").setAttribute("aria-label", "Run");
}

function run() {
  if (timer !== null) return stop();
  if (now === last) go(0);
  find("run").setAttribute("aria-pressed", "true");
  find("run").setAttribute("aria-label", "Stop");
  timer = setInterval(() => { go(now + 1); if (now === last) stop(); }, STEP);
}

function step(frame) {
  stop();
  go(frame);
}

function reveal() {
  const cell = document.querySelector("a[aria-current=step]");
  const box = cell?.closest(".moves");
  if (box) box.scrollTop = cell.closest("td").offsetTop - box.clientHeight / 2;
}

function turn() {
  const turned = find("strips").classList.toggle("turned");
  find("turn").setAttribute("aria-pressed", turned);
}

function follow() {
  const match = /^[#?]ply=(-?\d+)$/.exec(location.hash || location.search);
  if (match) show(Number(match[1]) + game.opening);
}

const keys = {
  ArrowLeft: () => step(now - 1), ArrowRight: () => step(now + 1), Home: () => step(0), End: () => step(last),
  " ": run, f: turn, F: turn,
};

document.addEventListener("keydown", (event) => {
  const plain = !(event.altKey || event.ctrlKey || event.metaKey);
  const action = Object.hasOwn(keys, event.key) ? keys[event.key] : null;
  if (!action || !plain || event.target.closest("input:not([type=range])")) return;
  if (event.key === " " && event.target.closest("button, summary")) return;
  event.preventDefault();
  action();
});

function followPlot(event) {
  const plot = event.target.closest(".plots svg.plot");
  if (!plot || event.type === "pointermove" && !(event.buttons & 1)) return;
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse()).x;
  const { low, high, left, right } = plot.querySelector("line.cursor").dataset;
  step(Math.round(Number(low) + (at - left) / (right - left) * (high - low)) + game.opening);
}

document.addEventListener("pointerdown", followPlot);
document.addEventListener("pointermove", followPlot);

for (const kind of ["pointerover", "focusin", "click"]) {
  thoughts.addEventListener(kind, (event) => {
    const button = event.target.closest(".line button");
    if (button) showGhost(button);
  });
}
for (const kind of ["pointerout", "focusout"]) thoughts.addEventListener(kind, hideGhost);
thoughts.addEventListener("keydown", (event) => {
  const button = event.target.closest(".line button");
  const beside = { ArrowLeft: "previousElementSibling", ArrowRight: "nextElementSibling" }[event.key];
  if (!button || !(beside || event.key === "Escape")) return;
  event.preventDefault();
  event.stopPropagation();
  if (!beside) hideGhost();
  else if (button[beside]?.matches("button")) button[beside].focus();
});

const buttons = { first: keys.Home, back: keys.ArrowLeft, run, forward: keys.ArrowRight, last: keys.End, turn };
for (const [id, action] of Object.entries(buttons)) find(id).addEventListener("click", action);
find("slide").addEventListener("input", (event) => step(Number(event.target.value)));
document.addEventListener("click", (event) => {
  const link = event.target.closest(".moves td a");
  if (!link) return;
  event.preventDefault();
  step(Number(link.hash.slice("#ply=".length)) + game.opening);
});
window.addEventListener("hashchange", follow);
window.addEventListener("load", () => {
  reveal();
  if (!location.hash.startsWith("#ply=")) return;
  window.scrollTo(0, 0); // the browser scrolls to the move in the list, but the link is for the board and its names
  find("strips").scrollIntoView({ block: "nearest" });
});

// A running game has more positions. A reader who looks at the last one sees the new one.
document.addEventListener("replay", (event) => {
  const followed = now === last;
  game = event.detail;
  last = game.frames.length - 1;
  find("slide").max = last;
  showSaid();
  show(followed ? last : now);
  if (followed) reveal();
});

find("controls").hidden = false;
show(last);
follow();
