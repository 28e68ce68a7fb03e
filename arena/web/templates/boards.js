import { morph } from "./morph.js";

// The boards of running games. Each game has the place of its slot, where its end stays until the next game starts.
const TENTH = 100;
const LOW = 10000;
const QUIET = 3000; // milliseconds without news of a game, after which its clocks stop
const LEAST = 3000; // milliseconds for which each end is shown
const MOST = 5000; // the same if no game follows
const MINUTE = 60000;
const FAST = 10; // games a minute, from which a page says how many there are
const LEAST_ENDS = 5; // with fewer ends a rate would be a guess
const FEW = 2; // as many cards are so large that all about a game is beside its board
const PAUSE = 1000; // milliseconds between two looks at what is beside a large board
const START = 1000; // milliseconds for the first games of all slots to start, so that their cards appear together

export const clockText = (ms) => {
  const tenths = Math.max(0, Math.floor(ms / TENTH));
  const seconds = Math.floor(tenths / 10);
  const pad = (number) => String(number).padStart(2, "0");
  const rest = `${pad(seconds % 60)}.${tenths % 10}`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
};

export const element = (name, look, text = "") => {
  const made = document.createElement(name);
  made.className = look;
  made.textContent = text;
  return made;
};

// As pages cut a name in its middle.
const shortName = (name) => name.length > 31 ? `${name.slice(0, 14)} … ${name.slice(-14)}` : name;

const duration = (seconds) => {
  const minutes = Math.round(seconds / 60);
  if (seconds <= 90) return `${Math.round(seconds)} s`;
  return minutes <= 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

// The seconds since a run started, from the server: the clock of this machine may be wrong, or be set.
export const lasted = (state) => {
  state.received ??= performance.now();
  return state.lasted + (performance.now() - state.received) / 1000;
};

// Says how fast games are, and how long a run will take. `new` has the games of this run.
export const pace = (boards, state) => {
  const left = state.total && state.new ? (state.total - state.played) * lasted(state) / state.new : 0;
  return [boards.rate, left > 1 ? `about ${duration(left)} to go` : ""].filter(Boolean).join(" · ");
};

// Gives an element a text, if it is another one.
export const say = (line, text) => { if (line.textContent !== text) line.textContent = text; };

// The clocks of a game, which never run backwards within a turn.
export class Clocks {
  constructor() {
    this.shown = [];
    this.turn = "";
  }

  // Takes the milliseconds left on each clock, as the server has just sent them.
  tell(left, seat, turn) {
    if (turn !== this.turn || seat < 0) this.shown = []; // the clocks at the end are as the records have them
    Object.assign(this, { left, seat, turn, received: Date.now() });
  }

  // Whether a clock runs: without news of the game it stops.
  get runs() {
    return this.seat in this.left && Date.now() - this.received < QUIET;
  }

  // Returns what each clock shows now; null for a seat without one.
  now() {
    this.shown = this.left.map((ms, seat) => {
      const known = this.shown[seat] ?? ms;
      return known !== null && seat === this.seat && this.runs ? Math.min(known, ms - (Date.now() - this.received)) : known;
    });
    return this.shown;
  }
}

// A card of the page. It shows a game, and then its end for a while; meanwhile at most one other game waits.
class Place {
  constructor(card) {
    this.card = card;
    this.link = card.querySelector("a");
    this.above = card.querySelector(".above");
    this.chance = card.querySelector(".chance");
    this.field = card.querySelector(".field");
    this.details = card.querySelector(".details");
    this.looking = null;
    this.last = card.querySelector(".last").children;
    this.end = card.querySelector(".end");
    this.game = null;
    this.next = null;
    this.ended = 0; // when the end was shown first
  }

  get strips() {
    return [this.card.querySelector(".pane + .strip"), ...[...this.above.children].reverse()];
  }

  // How long the end has been shown; negative while the game runs.
  get age() {
    return this.game?.end ? Date.now() - this.ended : -1;
  }

  has(game) {
    return this.game === game || this.next === game;
  }

  // Takes a game: now, or when the end of the one before it was there long enough.
  take(game) {
    if (this.age >= 0 && this.age < LEAST) this.next = game;
    else this.show(game);
  }

  // Shows a game, or none.
  show(game) {
    this.game = game;
    this.next = null;
    this.ended = Date.now();
    this.card.classList.toggle("vacant", !game);
    if (!game) {
      this.link.removeAttribute("href");
      return;
    }
    const shapes = document.getElementById("strips").content.children;
    if (this.above.children.length !== game.seats.length - 1) {
      const strips = game.seats.map((_, seat) => document.importNode(shapes[seat % shapes.length], true));
      this.above.replaceChildren(...strips.slice(1).reverse());
    }
    const bar = this.chance.querySelector(".first");
    bar.replaceWith(bar.cloneNode()); // so that it does not travel from one game into another
    this.link.href = game.url;
    this.link.setAttribute("aria-label", game.seats.join(" – "));
    this.strips.forEach((strip, seat) => {
      strip.querySelector(".who").textContent = shortName(game.seats[seat]);
      strip.querySelector("svg").innerHTML = game.signs[seat]; // drawn by the server
    });
    this.draw(true);
  }

  // Shows the position, the scores and the end of the game; `whole` if the ground of the board is another one.
  draw(whole) {
    const { game } = this;
    // The server draws the board itself: no text of an engine is in it.
    if (whole) this.field.innerHTML = game.board;
    if (game.items !== null) this.field.querySelector("svg > g:last-child").innerHTML = game.items;
    this.strips.forEach((strip, seat) => {
      const said = strip.querySelector(".said");
      said.textContent = game.end ? game.end.points[seat] : game.scores[seat];
      said.classList.toggle("result", Boolean(game.end));
      strip.classList.toggle("won", Boolean(game.end?.winners.includes(game.seats[seat]) && game.end.winners.length < game.seats.length));
    });
    this.card.classList.toggle("ended", Boolean(game.end));
    this.showClocks();
    this.drawChance();
    this.look(whole ? 0 : PAUSE);
    const last = game.plies.length - 1;
    this.last[0].textContent = last < 0 ? `ply ${game.ply}` : game.written[last] ?? `ply ${game.ply}: ${game.plies[last][1]}`;
    this.last[1].textContent = game.worker;
    this.end.textContent = game.end ? game.end.says : game.caption;
    this.end.title = this.end.textContent;
  }

  // Shows the scores, lines, moves and graph of the game. They may still be missing just after its end.
  look(pause) {
    if (!this.card.parentElement.classList.contains("few")) return;
    this.looking ??= setTimeout(async () => {
      this.looking = null;
      const { game } = this;
      const answer = game && await fetch(`${game.url}?watch`).catch(() => null);
      if (answer?.ok && game === this.game) {
        const newer = this.details.cloneNode();
        newer.innerHTML = await answer.text(); // made by the server
        morph(this.details, newer);
      } else if (game?.end) this.look(PAUSE);
    }, pause);
  }

  drawChance() {
    const { chance, seats } = this.game;
    this.chance.classList.toggle("unknown", chance === null);
    this.chance.classList.toggle("none", seats.length !== 2);
    this.chance.setAttribute("aria-label", `chances of ${seats[0]}: ${chance === null ? "not known" : `${chance} %`}`);
    const first = this.chance.querySelector(".first");
    first.setAttribute("y", `${100 - (chance ?? 50)}%`);
    first.setAttribute("height", `${chance ?? 50}%`);
  }

  showClocks() {
    const { game } = this;
    if (!game) return;
    const now = game.clocks.now();
    this.strips.forEach((strip, seat) => {
      const left = now[seat] ?? null;
      strip.querySelector(".clock").textContent = left === null ? "" : clockText(left);
      strip.classList.toggle("turn", game.clocks.runs && seat === game.turn);
      strip.classList.toggle("low", !game.end && left !== null && left < Math.min(LOW, game.most / 10));
    });
  }
}

// A list of cards. Games are as the events of the server have them. With `alone` there is one card for all games.
export class Boards {
  constructor(list, alone = false) {
    this.list = list;
    this.alone = alone;
    this.games = new Map(); // those that run, by key
    this.places = [...list.children].map((card) => new Place(card));
    this.ends = []; // when the games of the last minute ended
    this.since = Date.now();
    this.first = 0; // when the first card was made
  }

  // Whether more cards are about to be made.
  get forming() {
    return Date.now() - this.first < START;
  }

  // The number of cards with a game, which runs or has ended.
  get size() {
    return this.places.filter((place) => place.game).length;
  }

  // Says how many games there are a minute, if they are many.
  get rate() {
    const now = Date.now();
    this.ends = this.ends.filter((end) => now - end < MINUTE);
    const rate = Math.round(this.ends.length * MINUTE / Math.max(Math.min(now - this.since, MINUTE), MOST));
    return this.ends.length >= LEAST_ENDS && rate >= FAST ? `${rate} games a minute` : "";
  }

  // Takes all games that run.
  reset(games) {
    const keys = new Set(games.map((game) => game.key));
    for (const game of [...this.games.values()]) if (!keys.has(game.key)) this.drop(game);
    games.forEach((game) => this.keep(game));
  }

  // Shows what is new about a game that runs. Its plies follow those that are known already.
  keep(news) {
    const known = this.games.get(news.key);
    if (known && news.slot !== undefined && news.slot !== known.slot) {
      this.drop(known); // it starts again
      this.keep(news);
      return;
    }
    if (!known && news.slot === undefined) return;
    const game = known ?? { plies: [], written: [], items: null, most: 0, clocks: new Clocks() };
    this.games.set(news.key, game);
    this.merge(game, news);
    if (known) {
      this.places.find((place) => place.game === game)?.draw(news.board !== undefined);
      return;
    }
    this.placeFor(game)?.take(game);
  }

  // Shows how a game has ended.
  over(news) {
    const game = this.games.get(news.key);
    this.games.delete(news.key);
    const place = this.places.find((one) => game && one.has(game));
    if (news.stored) this.ends.push(Date.now());
    if (!game) return;
    if (!news.stored) {
      this.drop(game);
      return;
    }
    this.merge(game, { ...news, end: news });
    if (place?.game !== game) return;
    place.ended = Date.now();
    place.draw(news.board !== undefined);
  }

  merge(game, news) {
    const plies = [...game.plies.slice(0, news.first), ...news.plies];
    const written = [...game.written.slice(0, news.first), ...news.written ?? []];
    const items = news.items ?? (news.board === undefined ? game.items : null);
    Object.assign(game, news, { plies, written, items, most: Math.max(game.most, ...news.clocks_ms) });
    game.clocks.tell(game.clocks_ms, game.turn, game.ply);
  }

  // Forgets a game without an end.
  drop(game) {
    this.games.delete(game.key);
    const place = this.places.find((one) => one.has(game));
    if (place?.next === game) place.next = null;
    else if (place) this.free(place);
  }

  // Returns where a game that starts is shown.
  placeFor(game) {
    if (this.alone) {
      const [place] = this.places;
      return !place.game || place.game.slot === game.slot ? place : null;
    }
    if (!this.places.length) this.first = Date.now();
    while (this.places.length <= game.slot) {
      this.list.append(document.importNode(document.getElementById("card").content, true));
      this.places.push(new Place(this.list.lastElementChild));
    }
    // Cards that have become small stay small, so that they do not change with each end.
    if (this.places.length > FEW) this.list.classList.remove("few");
    return this.places[game.slot];
  }

  // Shows the clocks, and what follows after ends. The last ends stay when the run does not go on.
  tick(running) {
    for (const place of [...this.places]) {
      if (place.next && place.age >= LEAST) place.show(place.next);
      else if (!place.next && place.age >= MOST && running) this.free(place);
      place.showClocks();
    }
  }

  free(place) {
    const others = [...this.games.values()].sort((one, other) => one.slot - other.slot);
    place.show((this.alone && others[0]) || null);
    // A card without a game keeps its place, so that no other moves, until none has one.
    if (!this.alone && !this.size) this.places.splice(0).forEach((one) => one.card.remove());
  }
}
