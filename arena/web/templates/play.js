// The page of a game against engines: shows its state, and sends what the person wants.
import { clockText } from "./boards.js";
import { Builder, takes } from "./builder.js";
import { BoardView, draw } from "./play-board.js";
import { post } from "./post.js";
import { Stream } from "./stream.js";

const element = (id) => document.getElementById(id);
const title = document.title;
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
let sending = false; // until the server has answered a move
let meant = []; // the parts of a place with several meanings

const board = new BoardView({ choose: choosePlace, choices: () => (sending ? [] : open()) });

// The places that can be chosen now: they go on, or start another move if nothing can follow.
function open() {
  if (!builder) return [];
  return (builder.ended() ? builder.starts() : builder.next()).map((part) => builder.parts[part].place);
}

// --- asking the server

const ask = (word, wish) => post(`${address}/${word}`, wish, fail);

function fail(text) {
  element("problem").textContent = text;
  element("problem").hidden = !text;
  element("advice").hidden = Boolean(text); // in the same place
}

async function send(move) {
  if (sending || !state || state.status !== "yours") return;
  sending = true;
  showMove();
  const ply = state.ply;
  const taken = await ask("move", { move, ply });
  if (state.ply !== ply || taken) return; // the move stays drawn until the server sends the new position
  sending = false;
  if (builder) builder.chosen = [];
  showMove();
}

async function loadMoves() {
  const ply = state.ply;
  const answer = await fetch(`${address}/moves`).catch(() => null);
  const data = answer && answer.ok ? await answer.json() : null;
  // News of the same position may have asked for them twice: what was chosen meanwhile stays.
  if (data && !builder && state.status === "yours" && data.ply === ply && state.ply === ply) {
    builder = new Builder(data);
    showMove();
  }
}

// --- making a move

function choosePlace(place) {
  if (!builder || sending) return;
  fail("");
  const parts = builder.at(place);
  if (parts.length === 1) choose(parts[0]);
  else if (parts.length > 1) {
    meant = parts;
    showMeanings();
  } else if (place === builder.last()) again();
  else if (builder.wayTo(place)) {
    const started = builder.chosen.length;
    builder.chosen = [...builder.wayTo(place)[1]];
    if (started) chosen();
    else showMove(); // a click on a goal may not mean this move
  } else elsewhere(place);
}

// A move whose last place is chosen again is played, and a piece that has not moved is put down.
function again() {
  const move = builder.complete();
  if (move) send(move);
  else undo();
}

// A place that cannot follow may start another move. Otherwise say why it cannot follow, or why it cannot start
// a move if the chosen one has ended.
async function elsewhere(place) {
  const { chosen: before } = builder;
  const text = builder.ended() ? "" : builder.text();
  if (!builder.isBetween()) { // a done action is not dropped without a word
    builder.chosen = [];
    if (builder.at(place).length) return choosePlace(place);
    builder.chosen = before;
  }
  board.refuse(place);
  if (!board.keyed) board.focus(builder.last()); // after a refused click, Enter still plays what was chosen
  const ply = state.ply;
  const answer = await fetch(`${address}/why?${new URLSearchParams({ chosen: text, place })}`).catch(() => null);
  const data = answer && answer.ok ? await answer.json() : null;
  if (data && state.ply === ply && data.ply === ply) fail(data.why);
}

function choose(part) {
  fail("");
  builder.chosen.push(part);
  chosen();
}

// A move is played when nothing can follow, but a wall only when it is chosen again.
function chosen() {
  meant = [];
  const move = builder.complete();
  const wall = board.places.get(builder.last())?.between;
  if (move && !builder.next().length && !wall && !element("ask").checked) send(move);
  else showMove();
}

function undo() {
  if (!builder || sending) return;
  if (!meant.length) builder.chosen.pop();
  meant = [];
  fail("");
  showMove();
}

function clear() {
  if (!builder || sending) return;
  builder.chosen = [];
  meant = [];
  fail("");
  showMove();
}

function describe({ text, place, word }) {
  return [place, word].filter((one) => one).join(", ") || text;
}

function showMove() {
  const next = builder && !sending ? builder.next() : [];
  const move = builder ? builder.complete() : null;
  board.mark(builder ? builder.drawn() : null, sending ? [] : open(), Boolean(builder && builder.chosen.length));
  if (builder && !builder.chosen.length && state.hint?.move) board.hint(builder.hinted(state.hint.move));
  element("steps").replaceChildren(...(builder ? builder.actions() : []).map((parts) => make("li", { textContent: parts.map(describe).join(" → ") })));
  element("undo").disabled = element("clear").disabled = sending || !builder || !builder.chosen.length;
  element("send").disabled = !move || sending;
  element("send").textContent = move ? `Play ${builder.write(move)}` : "Play";
  showMeanings();
  advise(next, move);
}

// Buttons at the square: for the meanings of a place, and for what has no place on the board.
function showMeanings() {
  const box = element("meanings");
  const had = box.contains(document.activeElement);
  const all = builder && !sending ? builder.next() : [];
  const next = meant.length ? meant : builder?.alone() ? all : all.filter((part) => !board.places.has(builder.parts[part].place));
  const buttons = next.map((part) => meaning(describe(builder.parts[part]), builder.parts[part].word, builder.piece(part), () => choose(part)));
  const move = builder && builder.complete();
  if (move && next.length) buttons.push(meaning(`Play ${builder.write(move)}`, "as it is", null, () => send(move)));
  box.hidden = !buttons.length;
  box.replaceChildren(...buttons);
  if (!buttons.length) {
    if (had) board.focus(builder?.last() ?? board.focused); // not lost with the buttons
    return;
  }
  const place = builder.parts[next[0]].place;
  anchor(box, board.places.has(place) ? place : builder.last());
  // By keys one goes on with the buttons if nothing else can follow.
  const walking = board.keyed && board.layer.contains(document.activeElement) && next.length === all.length;
  if (meant.length || had || walking) box.firstElementChild.focus({ preventScroll: true });
}

function meaning(label, word, piece, act) {
  const button = make("button", { type: "button", className: "button plain", title: label }, ...(piece ? [icon(board.pieces[piece])] : []), make("span", { textContent: word || label }));
  button.setAttribute("aria-label", label);
  button.addEventListener("click", act);
  return button;
}

// Put the buttons beside a place; without one, below the middle of the board.
function anchor(box, place) {
  const frame = box.parentElement.getBoundingClientRect();
  const at = place && board.places.has(place) ? board.area(place) : frame;
  const left = at.left + at.width / 2 - frame.left - box.offsetWidth / 2;
  const below = place && at.top + at.height / 2 < frame.top + frame.height / 2;
  const top = below ? at.bottom - frame.top + 6 : place ? at.top - frame.top - box.offsetHeight - 6 : frame.height / 2 - box.offsetHeight / 2;
  box.style.left = `${Math.max(0, Math.min(left, frame.width - box.offsetWidth))}px`;
  box.style.top = `${Math.max(0, Math.min(top, frame.height - box.offsetHeight))}px`;
}

function advise(next, move) {
  const place = board.places.get(builder?.last());
  const touch = matchMedia("(pointer: coarse)").matches;
  let text = "";
  const alone = builder?.alone();
  if (!state || state.status !== "yours") text = state?.status === "over" ? state.result.detail : "";
  else if (sending) text = "The move is on its way.";
  else if (!builder) text = "The legal moves are on their way.";
  else if (move && !next.length && place) {
    const what = place.between ? "wall" : "place";
    text = touch ? `Tap the ${what} again, or Play.` : `Click the ${what} again, press Enter, or Play.`;
  }
  else if (alone && !builder.chosen.length) text = `Choose what stands on ${alone}.`;
  else if (!next.some((part) => board.places.has(builder.parts[part].place)) && !move) text = "Choose a move, or type it.";
  else if (!builder.chosen.length) text = board.grooves.length && state.seats[state.turn].hand ? `${touch ? "Tap" : "Click"} a marked square, or a groove for a wall.` : "Choose a marked place, or type a move.";
  else if (move && next.length) text = "Play the move, or go on.";
  else if (move) text = "The move is complete.";
  else if (builder.isBetween()) text = "The turn goes on: choose its next action.";
  else if (next.every((part) => takes(builder.parts[part]))) text = "Choose the tile that goes there.";
  else text = alone ? `Choose what it is on ${alone}.` : "Choose how it goes on.";
  element("advice").textContent = text;
}

// --- showing the state

function show(fresh) {
  const first = state === null;
  const same = state && state.ply === fresh.ply && state.status === fresh.status && state.position === fresh.position;
  state = fresh;
  if (first) {
    const mine = state.seats.findIndex((seat) => seat.person);
    turnBoard(state.seats.length === 2 && mine === 1 && !state.seats[0].person);
  }
  if (!same) {
    builder = null;
    sending = false;
    meant = [];
    board.show(state);
  }
  showSeats();
  showMoves();
  showSaid();
  showEnd();
  element("status").textContent = statusText();
  element("bar").dataset.status = state.status;
  document.title = `${statusText()} · ${title}`;
  element("caption").textContent = state.board.caption;
  element("position").textContent = state.position;
  const hint = state.hint;
  element("hinted").textContent = !hint ? "" : hint.move ? `The hint is ${hint.written}.` : hint.failed ? `There is no hint: ${hint.failed}.` : "The engine looks for a hint.";
  element("hinted").hidden = !hint;
  element("hint").disabled = element("resign").disabled = state.status !== "yours";
  element("takeback").disabled = !state.moves.some((move) => state.seats[move.seat].person);
  if (!same || state.hint) showMove();
  if (state.status === "yours" && !builder) loadMoves();
}

function statusText() {
  const mover = state.seats[state.turn];
  const several = state.seats.filter((seat) => seat.person).length > 1;
  const last = state.moves.at(-1);
  const before = last && !state.seats[last.seat].person && !last.text.startsWith("!") ? `. ${state.seats[last.seat].name} played ${last.number}${last.number && "\u00a0"}${last.written}` : "";
  if (state.status === "over") return state.result.text;
  if (state.status === "starting") return "The engines are starting";
  if (state.status === "thinking") return `${mover.name} is thinking`;
  return `${several ? `${mover.side}, your turn` : "Your turn"}${before}`;
}

const icon = (markup) => {
  const svg = draw("svg", { viewBox: "-18 -18 36 36", "aria-hidden": "true", class: state.board.look });
  svg.innerHTML = markup; // drawn by the server
  return svg;
};

// The walls in hand as sticks; other pieces as a number.
const hand = (seat) => {
  if (!board.grooves.length) return make("span", { className: "hand", textContent: `${seat.hand} in hand` });
  const sticks = Array.from({ length: seat.hand }, (_, index) => draw("rect", { x: 6 * index + 1, y: 1, width: 4, height: 20, rx: 1, class: "wall" }));
  return draw("svg", { class: "hand", width: 6 * Math.max(seat.hand, 1), height: 22, role: "img", "aria-label": `${seat.hand} walls left` }, ...sticks);
};

function showSeats() {
  const strips = state.seats.map((seat, index) => {
    const moves = state.status !== "over" && index === state.turn;
    const strip = make("div", { className: moves ? "strip turn" : "strip" }, icon(seat.mark));
    strip.append(make("span", { className: "who" }, seat.name, " ", make("span", { textContent: seat.side })));
    if (seat.hand !== null && (seat.hand || board.grooves.length)) strip.append(hand(seat));
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
    ...state.seats.map((seat) => make("th", { scope: "col" }, icon(seat.mark), seat.name)));
  const rows = [];
  let last = count;
  const thoughts = element("thoughts").checked;
  state.moves.forEach((move, index) => {
    if (move.seat <= last || !rows.length) {
      const row = make("tr", {}, make("td", { className: "number", textContent: move.number.replace("…", ".") || String(index + 1) }));
      for (let seat = 0; seat < count; seat++) row.append(make("td", {}));
      rows.push(row);
    }
    last = move.seat;
    const thought = thoughts && move.score ? `${move.score}${move.depth === null ? "" : `, depth ${move.depth}`}` : "";
    const text = move.text.startsWith("!") ? "removed" : move.written;
    rows.at(-1).children[move.seat + 1].append(make("span", {}, make("b", { textContent: text }), make("span", { textContent: thought }), make("span", { className: "time", textContent: move.time })));
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
  element("typing").hidden = state.status === "over";
  if (state.status !== "over") return;
  element("record").hidden = !state.record;
  element("store").hidden = !state.record || !state.can_store || state.stored !== null;
  element("stored").hidden = !state.page;
  element("stored").href = state.page || "/play/";
  element("stored").textContent = `Stored as game ${state.stored}`;
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
element("takeback").addEventListener("click", () => ask("takeback", {}));
element("hint").addEventListener("click", () => ask("hint", {}));
element("resign").addEventListener("click", () => element("resigning").showModal());
element("resigning").addEventListener("close", () => { if (element("resigning").returnValue === "yes") send("resign"); });
for (const answer of element("resigning").querySelectorAll("button")) answer.addEventListener("click", () => element("resigning").close(answer.value));
element("store").addEventListener("click", () => ask("store", {}));
element("rematch").addEventListener("click", async () => {
  const started = await post("/api/play/games", JSON.parse(element("wish").textContent), fail);
  if (started) location.assign(started.url);
});
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
  if (element("resigning").open) return;
  if (event.key === "Escape") clear();
  else if (event.key === "Enter" && builder && builder.complete() && !event.target.closest("button, a, summary")) send(builder.complete());
  else if (event.key === "n" || event.key === "N") board.walk(event.shiftKey ? -1 : 1);
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

addEventListener("resize", () => { if (state) showMeanings(); });
const stream = new Stream(`${address}/events`, { state: show }, async () => {
  element("status").textContent = "The server does not answer";
  const answer = await fetch(address).catch(() => null);
  if (answer?.status !== 404 || !state) return;
  stream.close(); // a server that was started again knows no games
  const result = state.result ?? { text: "The game ended with the server", detail: "You can start a new one." };
  show({ ...state, status: "over", record: false, can_store: false, result });
});
setInterval(tick, 100);
