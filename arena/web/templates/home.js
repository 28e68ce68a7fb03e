// Keeps the first page true. A running tournament is at its top, with a board of its games; other running tournaments are below.
import { Boards, pace, say } from "./boards.js";
import { morph, newest } from "./morph.js";
import { Stream } from "./stream.js";

const PAUSE = 5000; // milliseconds between two looks at results
const SHOWN = 5000; // for which the last end stays when the run is over
const part = (id) => document.getElementById(id);
const page = part("home");
let others = new Boards(part("others").querySelector("ul"));
let hero = null; // the tournament at the top: the address of its events, its stream, and what is shown at each tick
let ids = "";
let loading = null;

const follow = () => {
  const address = part("hero")?.dataset.events;
  if (address === hero?.address) return;
  hero?.stream.close();
  if (!address) {
    hero = null;
    return;
  }
  const boards = new Boards(part("boards"), true);
  let state = null;
  const stream = new Stream(address, {
    state(news) {
      state = news;
      boards.reset(news.games);
    },
    began(news) { boards.keep(news.game); },
    moved(news) { news.games.forEach((game) => boards.keep(game)); },
    over(news) {
      boards.over(news);
      if (news.stored) { state.played += 1; state.new += 1; }
    },
    stored() { loadSoon(PAUSE); },
    tables() { loadSoon(0); },
  });
  const tick = () => {
    boards.tick(true);
    const words = state && pace(boards, state);
    if (words) say(part("left"), ` · ${words}`);
  };
  hero = { stream, address, tick };
};

const load = async () => {
  loading = null;
  const newer = await newest();
  if (!newer) return;
  const top = newer.getElementById("hero");
  if (part("hero")?.dataset.events !== top?.dataset.events || !part("hero") !== !top) {
    page.replaceChildren(...newer.getElementById("home").childNodes);
    others = new Boards(part("others").querySelector("ul"));
    follow();
  } else {
    const left = part("left")?.textContent;
    if (top) morph(part("lead"), newer.getElementById("lead"));
    if (left) part("left").textContent = left;
    morph(part("stored"), newer.getElementById("stored"));
  }
};

const loadSoon = (pause) => { loading ??= setTimeout(load, pause); };

// The rows and tables of a page that was made before its stream may be older than the stream's first event.
const take = (running, fresh) => {
  const before = ids;
  ids = running.map((one) => one.id).join(" ");
  const below = running.filter((one) => one.game && one.events !== hero?.address);
  part("others").hidden = !below.length;
  others.reset(below.map((one, slot) => ({ ...one.game, key: `${one.id} ${one.game.key}`, slot, url: one.url, caption: one.name })));
  if (fresh) loadSoon(0);
  else if (ids !== before) loadSoon(!hero || running.some((one) => one.events === hero.address) ? 0 : SHOWN);
};

follow();
const stream = new Stream(page.dataset.events, {
  state(running) { take(running, true); },
  running(running) { take(running, false); },
  tables() { loadSoon(0); },
});
setInterval(() => {
  others.tick(true);
  hero?.tick();
  stream.showStale(part("stale"));
}, 100);
