// The page of a game against engines: shows its state, and sends what the person wants.
import { Builder } from "./builder.js";
import { BoardView } from "./play-board.js";
import { Stream } from "./stream.js";

const element = (id) => document.getElementById(id);
const address = `/api/play/games/${element("play").dataset.game}`;
const setting = (name) => ({
  get: () => { try { return localStorage.getItem(name) === "yes"; } catch { return false; } },
  set: (value) => { try { localStorage.setItem(name, value ? "yes" : "no"); } catch { /* it lasts for this page */ } },
});
const make = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

let state = null;
let builder = null;
let sending = false;
let meant = []; // the parts of a place with several meanings

const board = new BoardView({ choose: choosePlace, choices: () => (builder ? builder.next().map((part) => builder.parts[part].place) : []) });

// --- asking the server

async function post(word, wish) {
  fail("");
  try {
    const answer = await fetch(`${address}/${word}`, {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(wish),
    });
    const data = await answer.json();
    if (!answer.ok) fail(data.error);
    return answer.ok;
  } catch {
    fail("The server does not answer.");
    return false;
  }
}

function fail(text) {
  element("problem").textContent = text;
  element("problem").hidden = !text;
}

async function send(move) {
  if (sending || !state || state.status !== "yours") return;
  sending = true;
  showMove();
  const ply = state.ply;
  const taken = await post("move", { move, ply });
  sending = false;
  if (state.ply !== ply) return;
  if (taken) builder = null; // until the server tells the new position
  else if (builder) builder.clear();
  showMove();
}

async function loadMoves() {
  const ply = state.ply;
  const answer = await fetch(`${address}/moves`).catch(() => null);
  const data = answer && answer.ok ? await answer.json() : null;
  if (data && state.status === "yours" && data.ply === ply && state.ply === ply) {
    builder = new Builder(data);
    showMove();
  }
}

// --- making a move

function choosePlace(place) {
  if (!builder || sending) return;
  fail("");
  const parts = builder.at(place);
  if (parts.length === 1) return choose(parts[0]);
  if (parts.length > 1) {
    meant = parts;
    showMeanings(place);
    return undefined;
  }
  if (place === builder.paths().at(-1)?.at(-1)) return undo(); // a piece that is clicked again is put down
  const way = builder.wayTo(place);
  if (way) {
    builder.chosen = [...way[1]];
    return chosen();
  }
  if (builder.chosen.length) {
    const before = builder.chosen;
    builder.clear();
    if (builder.at(place).length) return choosePlace(place);
    builder.chosen = before;
  }
  element("advice").textContent = `${place} cannot follow here.`;
  return undefined;
}

function choose(part) {
  builder.choose(part);
  chosen();
}

function chosen() {
  meant = [];
  const move = builder.complete();
  if (move && !builder.next().length && !element("ask").checked) send(move);
  else showMove();
}

function undo() {
  if (!builder) return;
  builder.undo();
  meant = [];
  showMove();
}

function clear() {
  if (!builder) return;
  builder.clear();
  meant = [];
  showMove();
}

function describe({ text, place, word }) {
  return [place, word].filter((one) => one).join(", ") || text;
}

function showMove() {
  const next = builder ? builder.next() : [];
  const move = builder ? builder.complete() : null;
  board.mark(builder ? builder.paths() : [], next.map((part) => builder.parts[part].place), Boolean(builder && builder.chosen.length));
  element("steps").replaceChildren(...(builder ? builder.actions() : []).map((parts) => make("li", { textContent: parts.map(describe).join(" → ") })));
  element("undo").disabled = element("clear").disabled = !builder || !builder.chosen.length;
  element("send").disabled = !move || sending;
  element("send").textContent = move ? `Play ${move}` : "Play";
  showMeanings();
  advise(next, move);
}

function showMeanings() {
  const drawn = new Set(state.places.map((place) => place.name));
  const all = builder ? builder.next() : [];
  // Buttons for what has no place on the board, and for the meanings of a place that was chosen, or is the only one.
  const alone = all.length > 1 && new Set(all.map((part) => builder.parts[part].place)).size === 1;
  const next = meant.length ? meant : alone ? all : all.filter((part) => !drawn.has(builder.parts[part].place));
  element("meanings").hidden = !next.length;
  element("meanings").replaceChildren(...next.map((part) => {
    const button = make("button", { type: "button", className: "button plain", textContent: describe(builder.parts[part]) });
    button.addEventListener("click", () => choose(part));
    return button;
  }));
  if (meant.length) element("meanings").firstElementChild.focus();
}

function advise(next, move) {
  if (!state || state.status !== "yours") element("advice").textContent = "";
  else if (!builder) element("advice").textContent = "The legal moves are on their way.";
  else if (!builder.chosen.length) element("advice").textContent = "Choose a marked place, or type a move.";
  else if (move && next.length) element("advice").textContent = "Play the move, or go on.";
  else element("advice").textContent = move ? "The move is complete." : "Choose how it goes on.";
}

// --- showing the state

function show(fresh) {
  const first = state === null;
  const same = state && state.ply === fresh.ply && state.status === fresh.status && state.position === fresh.position;
  state = fresh;
  if (first) {
    const own = state.seats.findIndex((seat) => seat.person);
    turnBoard(state.seats.length === 2 && own === 1 && !state.seats[0].person);
  }
  if (!same) {
    builder = null;
    meant = [];
    board.show(state);
  }
  showSeats();
  showMoves();
  showSaid();
  showEnd();
  element("status").textContent = statusText();
  element("caption").textContent = state.board.caption;
  element("position").textContent = state.position;
  const hint = state.hint;
  element("hinted").textContent = !hint ? "" : hint.move ? `The hint is ${hint.move}.` : hint.failed ? `There is no hint: ${hint.failed}.` : "The engine looks for a hint.";
  element("hinted").hidden = !hint;
  element("hint").disabled = element("resign").disabled = state.status !== "yours";
  element("takeback").disabled = !state.moves.some((move) => state.seats[move.seat].person);
  if (!same) showMove();
  if (state.status === "yours" && !builder) loadMoves();
}

function statusText() {
  const mover = state.seats[state.turn];
  const several = state.seats.filter((seat) => seat.person).length > 1;
  const last = state.moves.at(-1);
  const before = last && !state.seats[last.seat].person ? `${state.seats[last.seat].name}: ${last.text}. ` : "";
  if (state.status === "over") return state.result.text;
  if (state.status === "starting") return "The engines are starting";
  if (state.status === "thinking") return `${mover.name} is thinking`;
  return several ? `${before}Player ${state.turn + 1}, your turn` : `${before}Your turn`;
}

function clockText(ms) {
  const tenths = Math.floor(Math.max(ms, 0) / 100);
  const minutes = Math.floor(tenths / 600);
  return `${minutes}:${String(Math.floor(tenths / 10) % 60).padStart(2, "0")}.${tenths % 10}`;
}

const shape = (seat) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "-18 -18 36 36");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#${seat.shape}`);
  use.setAttribute("class", seat.colours);
  svg.append(use);
  return svg;
};

function showSeats() {
  const strips = state.seats.map((seat, index) => {
    const moves = state.status !== "over" && index === state.turn;
    const strip = make("div", { className: moves ? "strip turn" : "strip" }, shape(seat));
    const name = state.seats.filter((one) => one.person).length > 1 && seat.person ? `You, player ${index + 1}` : seat.name;
    strip.append(make("span", { className: "who", textContent: name }));
    strip.append(make("span", { className: "said result", textContent: seat.points || (seat.removed ? "removed" : "") }));
    if (seat.clock_ms !== null) strip.append(make("span", { className: "clock", textContent: clockText(seat.clock_ms) }));
    return strip;
  });
  const half = Math.ceil(strips.length / 2);
  element("below").replaceChildren(...strips.slice(0, half).reverse());
  element("above").replaceChildren(...strips.slice(half).reverse());
  since = performance.now();
}

let since = 0;

// The clock that runs, between the news of the server.
function tick() {
  if (!state || state.status === "over" || state.status === "starting") return;
  const seat = state.seats[state.turn];
  const clock = document.querySelector(".strip.turn .clock");
  if (clock && seat.clock_ms !== null) clock.textContent = clockText(seat.clock_ms - (performance.now() - since));
}

function showMoves() {
  const count = state.seats.length;
  element("heads").replaceChildren(make("th", { scope: "col", className: "number" }, make("span", { className: "hidden-text", textContent: "ply" })),
    ...state.seats.map((seat) => make("th", { scope: "col" }, shape(seat), seat.name)));
  const rows = [];
  let last = count;
  const thoughts = element("thoughts").checked;
  state.moves.forEach((move, index) => {
    if (move.seat <= last || !rows.length) {
      const row = make("tr", {}, make("td", { className: "number", textContent: String(index + 1) }));
      for (let seat = 0; seat < count; seat++) row.append(make("td", {}));
      rows.push(row);
    }
    last = move.seat;
    const told = thoughts && move.score ? `${move.score}${move.depth === null ? "" : `, depth ${move.depth}`}` : "";
    const text = move.text.startsWith("!") ? "removed" : move.text;
    rows.at(-1).children[move.seat + 1].append(make("span", { className: "cell" }, make("b", { textContent: text }), make("span", { textContent: told }), make("span", { className: "time", textContent: move.time })));
  });
  element("moves").replaceChildren(...rows);
  const box = element("moves").closest(".moves");
  box.scrollTop = box.scrollHeight;
}

function showSaid() {
  element("said").hidden = !element("thoughts").checked;
  const said = state.seats.filter((seat) => !seat.person);
  element("said").replaceChildren(...said.flatMap((seat) => [make("dt", { textContent: seat.name }), make("dd", {}, make("code", { textContent: seat.said || "nothing yet" }))]));
}

function showEnd() {
  element("over").hidden = state.status !== "over";
  if (state.status !== "over") return;
  element("result").textContent = state.result.text;
  element("detail").textContent = state.result.detail;
  element("record").hidden = !state.record;
  element("store").hidden = !state.record || !state.can_store || state.stored !== null;
  element("stored").textContent = state.stored === null ? "" : `Stored as game ${state.stored}.`;
}

function turnBoard(turned) {
  element("strips").classList.toggle("turned", turned);
  element("turn").setAttribute("aria-pressed", String(turned));
  board.turned = turned;
}

// --- controls

element("undo").addEventListener("click", undo);
element("clear").addEventListener("click", clear);
element("send").addEventListener("click", () => send(builder.complete()));
element("takeback").addEventListener("click", () => post("takeback", {}));
element("hint").addEventListener("click", () => post("hint", {}));
element("resign").addEventListener("click", () => send("resign"));
element("store").addEventListener("click", () => post("store", {}));
element("turn").addEventListener("click", () => turnBoard(!board.turned));
element("typing").addEventListener("submit", async (event) => {
  event.preventDefault();
  const move = element("typed").value.trim();
  if (!move) return;
  element("typed").value = "";
  await send(move);
});
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") clear();
  else if (event.key === "Backspace" || event.key === "u" || event.key === "U") undo();
  else return;
  event.preventDefault();
});
for (const name of ["ask", "thoughts"]) {
  const kept = setting(`play-${name}`);
  element(name).checked = kept.get();
  element(name).addEventListener("change", () => {
    kept.set(element(name).checked);
    if (state) { showMoves(); showSaid(); }
  });
}

new Stream(`${address}/events`, { state: show }, () => { element("status").textContent = "The server does not answer"; });
setInterval(tick, 100);
