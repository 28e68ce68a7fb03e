// Shows a board of each running tournament on the first page.
import { Boards, element } from "./boards.js";
import { morph } from "./morph.js";
import { Stream } from "./stream.js";

const live = document.getElementById("live");
const boards = new Boards(document.getElementById("boards"));
let known = [];
let ids = "";

// Returns whether a tournament began or ended.
const show = (running) => {
  const before = ids;
  ids = running.map((one) => one.id).join(" ");
  live.hidden = !running.length;
  live.classList.toggle("alone", running.length === 1);
  const keys = running.map((one) => (one.game ? `${one.id} ${one.game.key}` : ""));
  for (const key of known) if (!keys.includes(key)) boards.drop(key);
  known = keys.filter(Boolean);
  for (const one of running) {
    if (!one.game) continue;
    const key = `${one.id} ${one.game.key}`;
    const fresh = !boards.get(key);
    boards.keep({ ...one.game, key });
    if (fresh) {
      const link = element("a", "", one.name);
      link.href = one.url;
      const title = element("p", "head");
      title.append(link, element("span", "muted"));
      boards.cards.get(key).made.prepend(title);
    }
    boards.cards.get(key).made.querySelector(".head span").textContent = `${one.played}${one.total ? ` of ${one.total}` : ""}`;
  }
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
  boards.tick(!stream.stale);
  stream.showStale(document.getElementById("stale"));
}, 100);
