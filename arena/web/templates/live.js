// Keeps a tournament's page true: boards, clocks, results and tables, from one stream of events.
"use strict";
(() => {
  const live = document.getElementById("live");
  if (!live) return;
  const part = (id) => document.getElementById(id);
  const games = new Map();
  const cards = new Map();
  let source = null;
  let heard = Date.now();
  let loading = null;
  let state = null;

  const element = (name, look, text = "") => {
    const made = document.createElement(name);
    made.className = look;
    made.textContent = text;
    return made;
  };

  const clockText = (ms) => {
    const tenths = Math.max(0, Math.floor(ms / 100));
    const seconds = Math.floor(tenths / 10);
    const pad = (number) => String(number).padStart(2, "0");
    const rest = `${pad(seconds % 60)}.${tenths % 10}`;
    const minutes = Math.floor(seconds / 60);
    return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
  };

  // The shape and the colours of each seat, as on all pages.
  const shapes = [["ring", "ivory"], ["diamond", "red"], ["wedge", "violet"], ["bars", "teal"]];

  const strip = (game, seat) => {
    const made = element("div", "strip");
    const [shape, look] = shapes[seat % shapes.length];
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    picture.setAttribute("viewBox", "-18 -18 36 36");
    picture.setAttribute("aria-hidden", "true");
    use.setAttribute("href", `#${shape}`);
    use.setAttribute("class", look);
    picture.append(use);
    made.append(picture, element("span", "who", game.seats[seat]));
    made.append(element("span", "said", ""), element("span", "clock", ""));
    return made;
  };

  const card = (game) => {
    const made = element("li", "card tight");
    made.setAttribute("aria-label", game.seats.join(" – "));
    const board = element("div", "");
    const strips = game.seats.map((_, seat) => strip(game, seat));
    const last = element("p", "note", "");
    made.append(...strips.slice(1).reverse(), board, strips[0], last);
    return { made, board, strips, last };
  };

  const showClocks = () => {
    const stale = Date.now() - heard > 10000;
    for (const game of games.values()) {
      const shown = cards.get(game.key);
      game.clocks_ms.forEach((left, seat) => {
        const runs = seat === game.turn && state && state.running && !stale;
        const spent = runs ? Date.now() - game.told : 0;
        shown.strips[seat].lastChild.textContent = clockText(left - spent);
        shown.strips[seat].classList.toggle("turn", Boolean(runs));
        shown.strips[seat].classList.toggle("low", left - spent < 10000);
      });
    }
    const line = part("stale");
    line.hidden = !stale;
    if (stale) line.textContent = `No news for ${Math.round((Date.now() - heard) / 1000)} s. Trying again.`;
  };

  const showGame = (game) => {
    if (!cards.has(game.key)) {
      cards.set(game.key, card(game));
      part("boards").append(cards.get(game.key).made);
    }
    const shown = cards.get(game.key);
    // The server draws the board itself: no text of an engine is in it.
    shown.board.innerHTML = game.board;
    const ply = game.plies.at(-1);
    shown.last.textContent = `ply ${game.ply}${ply ? `: ${ply[1]}` : ""}${game.caption ? ` · ${game.caption}` : ""}`;
    game.seats.forEach((_, seat) => {
      const said = game.plies.findLast((one) => one[0] === seat && one[3]);
      shown.strips[seat].children[2].textContent = said ? said[3] : "";
    });
  };

  const keep = (news) => {
    const known = games.get(news.key);
    const before = known ? known.plies.slice(0, news.first) : [];
    games.set(news.key, { ...news, plies: [...before, ...news.plies], told: Date.now() });
    showGame(games.get(news.key));
  };

  const drop = (key) => {
    games.delete(key);
    if (cards.has(key)) cards.get(key).made.remove();
    cards.delete(key);
  };

  const showState = () => {
    part("running").hidden = !state.running;
    part("nothing").hidden = games.size > 0;
    const status = part("status");
    if (state.running) status.textContent = state.stopping ? "stopping" : "live";
    else if (status.textContent !== "finished") status.textContent = state.total === state.played ? "finished" : "open";
    status.className = `tag ${state.running ? "good" : status.textContent === "open" ? "warn" : ""}`;
    part("played").textContent = state.played;
    if (part("progress")) part("progress").value = state.played;
    const left = state.total && state.began && state.new ? (state.total - state.played) * (Date.now() / 1000 - state.began) / state.new : 0;
    part("left").textContent = left > 1 ? `, about ${left > 90 ? `${Math.round(left / 60)} min` : `${Math.round(left)} s`} to go` : "";
    const stages = Object.entries(state.stages).map(([game, text]) => `${game}: ${text}`);
    part("notices").replaceChildren(...[...stages, ...state.notices].map((text) => element("li", "", text)));
    part("notices").hidden = !part("notices").children.length;
  };

  const toast = (text) => {
    part("toast").textContent = text;
    part("toast").hidden = false;
    clearTimeout(toast.timer);
    toast.timer = setTimeout(() => { part("toast").hidden = true; }, 5000);
  };

  const loadTables = () => {
    if (loading) return;
    loading = setTimeout(async () => {
      loading = null;
      const answer = await fetch("tables").catch(() => null);
      if (answer && answer.ok) part("tables").innerHTML = await answer.text(); // escaped by the server
    }, 1000);
  };

  const handlers = {
    state(news) {
      for (const key of [...games.keys()]) drop(key);
      state = { ...news, new: 0 };
      news.games.forEach(keep);
      loadTables();
    },
    run() { connect(); },
    began(news) { keep(news.game); },
    moved(news) { news.games.forEach(keep); },
    over(news) {
      const game = games.get(news.key);
      if (game) toast(`${game.seats.join(" – ")}: ${news.text}`);
      drop(news.key);
      if (news.stored) { state.played += 1; state.new += 1; }
      loadTables();
    },
    stored(news) { state.played = Math.max(state.played, news.played); loadTables(); },
    planned(news) { state.total = news.total; },
    stage(news) { state.stages[news.game] = news.text; },
    notice(news) { state.notices = [...state.notices, news.text].slice(-20); },
    stopping() { state.stopping = true; },
  };

  const connect = () => {
    if (source) source.close();
    source = new EventSource(live.dataset.events);
    source.onopen = () => { heard = Date.now(); };
    source.onerror = (event) => {
      // A browser does not come back by itself after an answer that is no stream, such as "try later".
      if (event.target.readyState === EventSource.CLOSED && event.target === source) setTimeout(connect, 1000);
    };
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, (event) => {
        heard = Date.now();
        handle(JSON.parse(event.data));
        if (state) showState();
      });
    }
  };

  document.addEventListener("visibilitychange", () => {
    if (document.hidden && source) { source.close(); source = null; }
    else if (!document.hidden && !source) connect();
  });
  setInterval(showClocks, 100);
  connect();
})();
