// Keeps the page of a running game true: its clocks immediately, its moves and plots a second later.
import { Clocks, clockText } from "./boards.js";
import { morph, newest } from "./morph.js";
import { Stream } from "./stream.js";

const PARTS = ["board", "verdict", "list", "plots", "moves"];
const PAUSE = 1000;
const page = document.getElementById("game");
const place = Number(page.dataset.place);
let key = null;
let clocks = null; // null when the game is over
let loading = null;

const load = async () => {
  loading = null;
  const newer = await newest();
  if (!newer) return;
  for (const id of PARTS) {
    if (document.getElementById(id) && newer.getElementById(id)) morph(document.getElementById(id), newer.getElementById(id));
  }
  document.dispatchEvent(new CustomEvent("replay", { detail: JSON.parse(newer.getElementById("replay").textContent) }));
};

const loadSoon = (pause) => { loading ??= setTimeout(load, pause); };

const follow = (game, fresh) => {
  key = game.key;
  clocks ??= new Clocks();
  clocks.tell(game.clocks_ms, game.turn, game.ply);
  if (fresh) loadSoon(PAUSE);
};

const stream = new Stream(page.dataset.events, {
  state(news) {
    const game = news.games.find((one) => one.place === place);
    if (game) follow(game, true);
    else loadSoon(0); // it has ended: the address leads to the stored game
  },
  began(news) { if (news.game.place === place) follow(news.game, true); },
  moved(news) {
    const game = news.games.find((one) => one.key === key);
    if (game) follow(game, game.plies.length > 0);
  },
  over(news) {
    if (news.key !== key) return;
    clocks = null;
    loadSoon(PAUSE);
  },
  stored() { if (!clocks) loadSoon(PAUSE); },
});

setInterval(() => {
  stream.showStale(document.getElementById("stale"));
  const slide = document.getElementById("slide");
  if (!clocks || !slide || slide.value !== slide.max) return; // the reader looks at an earlier position
  clocks.now().forEach((left, seat) => {
    const clock = document.querySelector(`.strip[data-seat="${seat}"] .clock`);
    if (clock && left !== null) clock.textContent = clockText(left);
  });
}, 100);
