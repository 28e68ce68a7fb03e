// Shows a board of each running tournament on the first page.
import { Boards } from "./boards.js";
import { morph } from "./morph.js";
import { Stream } from "./stream.js";

const live = document.getElementById("live");
const boards = new Boards(document.getElementById("boards"));
let ids = "";

// Returns whether a tournament began or ended.
const show = (running) => {
  const before = ids;
  ids = running.map((one) => one.id).join(" ");
  live.hidden = !running.length;
  live.classList.toggle("alone", running.length === 1);
  boards.reset(running.filter((one) => one.game).map((one) => ({ ...one.game, key: `${one.id} ${one.game.key}` })));
  return ids !== before;
};

const load = async () => {
  const answer = await fetch(location.pathname).catch(() => null);
  if (!answer || !answer.ok) return;
  const newer = new DOMParser().parseFromString(await answer.text(), "text/html");
  morph(document.getElementById("stored"), newer.getElementById("stored"));
};

// The rows and tables of a page that was made before its stream began may be older than the stream's first event.
const handlers = {
  state(running) { show(running); load(); },
  running(running) { if (show(running)) load(); },
  tables() { load(); },
};
const stream = new Stream(live.dataset.events, handlers);
setInterval(() => {
  boards.tick(true);
  stream.showStale(document.getElementById("stale"));
}, 100);
