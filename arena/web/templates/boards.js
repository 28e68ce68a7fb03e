// The boards of running games, with clocks that count down.
const TENTH = 100;
const LOW = 10000;

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

// A list of boards. Games are as the events of the server have them.
export class Boards {
  constructor(list) {
    this.list = list;
    this.shapes = document.getElementById("strips").content.children;
    this.games = new Map();
    this.cards = new Map();
  }

  get size() {
    return this.games.size;
  }

  get(key) {
    return this.games.get(key);
  }

  // Shows what is new about a game. Its plies follow those that are known already.
  keep(news) {
    const known = this.games.get(news.key);
    const before = known ? known.plies.slice(0, news.first) : [];
    const most = Math.max(known ? known.most : 0, ...news.clocks_ms);
    const game = { ...known, ...news, plies: [...before, ...news.plies], told: Date.now(), most };
    this.games.set(news.key, game);
    if (!this.cards.has(game.key)) this.add(game);
    const card = this.cards.get(game.key);
    // The server draws the board itself: no text of an engine is in it.
    if (news.board === undefined) card.board.querySelector("svg > g:last-child").innerHTML = news.items;
    else card.board.innerHTML = news.board;
    card.chance.hidden = game.chance === null;
    if (game.chance !== null) card.chance.value = game.chance;
    game.scores.forEach((score, seat) => { card.strips[seat].querySelector(".said").textContent = score; });
    const ply = game.plies.at(-1);
    card.last.textContent = `ply ${game.ply}${ply ? `: ${ply[1]}` : ""}${game.caption ? ` · ${game.caption}` : ""}${game.worker ? ` · ${game.worker}` : ""}`;
  }

  drop(key) {
    this.games.delete(key);
    if (this.cards.has(key)) this.cards.get(key).made.remove();
    this.cards.delete(key);
  }

  clear() {
    for (const key of [...this.games.keys()]) this.drop(key);
  }

  // Shows the time left on every clock; only those of running games go on.
  tick(running) {
    for (const game of this.games.values()) {
      const card = this.cards.get(game.key);
      game.clocks_ms.forEach((left, seat) => {
        const runs = running && seat === game.turn;
        const now = left - (runs ? Date.now() - game.told : 0);
        card.strips[seat].querySelector(".clock").textContent = clockText(now);
        card.strips[seat].classList.toggle("turn", runs);
        card.strips[seat].classList.toggle("low", now < Math.min(LOW, game.most / 10));
      });
    }
  }

  add(game) {
    const made = element("li", "card tight");
    made.setAttribute("aria-label", game.seats.join(" – "));
    const strips = game.seats.map((name, seat) => {
      const strip = document.importNode(this.shapes[seat % this.shapes.length], true);
      strip.querySelector(".who").textContent = name;
      return strip;
    });
    const chance = element("progress", "chance");
    chance.max = 100;
    chance.setAttribute("aria-label", `chances of ${game.seats[0]}`);
    const board = element("div", "");
    const last = element("a", "note");
    last.href = game.url;
    made.append(...strips.slice(1).reverse(), board, chance, strips[0], last);
    this.cards.set(game.key, { made, board, chance, strips, last });
    this.list.append(made);
  }
}
