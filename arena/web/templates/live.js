// Keeps a tournament's page true: boards, clocks, results and tables, from one stream of events.
import { Boards, element, lasted, pace, say } from "./boards.js";
import { morph, newest } from "./morph.js";
import { Stream } from "./stream.js";

const START = 10; // seconds in which the first games of a run start
const part = (id) => document.getElementById(id);
const boards = new Boards(part("boards"));
let loading = null;
let again = null;
let state = null;

const showState = () => {
  part("live-title").textContent = state.running ? "Live" : "Last games";
  part("next").hidden = !state.running;
  const status = part("status");
  const rests = state.resting.length && !boards.games.size;
  status.textContent = !state.running ? state.status : state.stopping ? "stopping" : rests ? "resting" : "live";
  status.className = `tag ${state.running ? "good" : state.status === "unfinished" ? "warn" : ""}`;
  list("stages", Object.entries(state.stages).map(([game, text]) => `${game}: ${text}`));
  list("notices", state.notices);
  part("notes").hidden = !state.notices.length;
};

const list = (id, texts) => part(id).replaceChildren(...texts.map((text) => element("li", "", text)));

const showNext = () => list("next", state.next.map((game) => game.seats.join(" – ")));

const load = async () => {
  loading = null;
  const newer = await newest();
  if (!newer) return;
  for (const id of ["tables", "tabs", "facts"]) morph(part(id), newer.getElementById(id));
  if (part("progress")) part("progress").value = part("played").textContent.replace(/\D/g, ""); // from the tables, not a later one
};

// The server may send tables that are a little older, to save work, so they are loaded once more.
const loadTables = () => {
  loading ??= setTimeout(load, 1000);
  clearTimeout(again);
  again = setTimeout(load, 15000);
};

const handlers = {
  state(news) {
    state = news;
    boards.reset(news.games);
    showNext();
    loadTables();
  },
  began(news) {
    boards.keep(news.game);
    state.next = state.next.filter((game) => game.place !== news.game.place);
    if (state.resting.includes(news.game.game)) {
      state.resting = state.resting.filter((game) => game !== news.game.game);
      delete state.stages[news.game.game];
    }
    showNext();
  },
  next(news) { state.next = news.games; showNext(); },
  moved(news) { news.games.forEach((game) => boards.keep(game)); },
  over(news) {
    boards.over(news);
    state.next = state.next.filter((game) => game.place !== news.place);
    showNext();
    if (news.stored) { state.played += 1; state.new += 1; }
    loadTables();
  },
  // While a tournament runs, the database is behind it. Otherwise games may have become void.
  stored(news) {
    state.played = state.running ? Math.max(state.played, news.played) : news.played;
    state.status = news.status;
    loadTables();
  },
  tables() { load(); },
  planned(news) { state.total = news.total; },
  stage(news) {
    state.stages[news.game] = news.text;
    state.resting = state.resting.filter((game) => game !== news.game).concat(news.rests ? [news.game] : []);
  },
  notice(news) { state.notices = [...state.notices, news.text].slice(-20); },
  stopping() { state.stopping = true; },
};

const shown = Object.entries(handlers).map(([kind, handle]) => [kind, (news) => {
  handle(news);
  if (state) showState();
}]);
const stream = new Stream(part("live").dataset.events, Object.fromEntries(shown));

// The first games of a run appear together, so that the page moves once.
const showRunning = () => {
  const idle = state.running && !boards.places.length;
  part("nothing").hidden = !idle || lasted(state) < START;
  part("running").hidden = boards.forming || (idle ? part("nothing").hidden : !state.running && !boards.size);
  say(part("left"), state.running ? pace(boards, state) : "");
};

setInterval(() => {
  boards.tick(Boolean(state?.running));
  if (state) showRunning();
  stream.showStale(part("stale"));
}, 100);
