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
  let again = null;
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

  const strip = (game, seat) => {
    const shapes = part("strips").content.children;
    const made = document.importNode(shapes[seat % shapes.length], true);
    made.querySelector(".who").textContent = game.seats[seat];
    return made;
  };

  const card = (game) => {
    const made = element("li", "card tight");
    made.setAttribute("aria-label", game.seats.join(" – "));
    const board = element("div", "");
    const strips = game.seats.map((_, seat) => strip(game, seat));
    const chance = document.createElement("progress");
    chance.max = 100;
    chance.className = "chance";
    chance.setAttribute("aria-label", `chances of ${game.seats[0]}`);
    const last = element("p", "note", "");
    made.append(...strips.slice(1).reverse(), board, chance, strips[0], last);
    return { made, board, chance, strips, last };
  };

  const showClocks = () => {
    const stale = Date.now() - heard > 10000;
    for (const game of games.values()) {
      const shown = cards.get(game.key);
      game.clocks_ms.forEach((left, seat) => {
        const runs = seat === game.turn && state && state.running && !stale;
        const spent = runs ? Date.now() - game.told : 0;
        shown.strips[seat].lastElementChild.textContent = clockText(left - spent);
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
    game.scores.forEach((score, seat) => { shown.strips[seat].querySelector(".said").textContent = score; });
    shown.chance.hidden = game.chance === null;
    if (game.chance !== null) shown.chance.value = game.chance;
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
    part("left").textContent = left > 1 ? `about ${left > 90 ? `${Math.round(left / 60)} min` : `${Math.round(left)} s`} to go` : "";
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

  // Makes a part of the page like a newer one, and touches nothing that is equal: the reader keeps the place, what
  // is selected and what is open. Rows of tables are known by their headers, so that a row that moves stays itself.
  const keyOf = (node) => node.id || (node.nodeName === "TR" && node.querySelector("th[scope=row]")?.textContent) || "";
  const morph = (old, newer) => {
    if (old.nodeType !== Node.ELEMENT_NODE || old.nodeName !== newer.nodeName) {
      if (!old.isEqualNode(newer)) old.replaceWith(newer);
      return;
    }
    for (const { name } of [...old.attributes]) if (!newer.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of newer.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const keyed = new Map([...old.childNodes].filter(keyOf).map((node) => [keyOf(node), node]));
    const children = [...newer.childNodes];
    children.forEach((child, index) => {
      const known = keyed.get(keyOf(child));
      const here = old.childNodes[index];
      if (known && known !== here) old.insertBefore(known, here || null);
      const now = old.childNodes[index];
      if (!now) old.append(child);
      else if (!known && keyOf(now)) old.insertBefore(child, now);
      else morph(now, child);
    });
    while (old.childNodes.length > children.length) old.lastChild.remove();
  };

  const load = async () => {
    loading = null;
    const answer = await fetch(location.pathname).catch(() => null);
    if (!answer || !answer.ok) return;
    const newer = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const id of ["tables", "tabs"]) morph(part(id), newer.getElementById(id));
  };

  // The server may send tables that are a little older, to save work, so they are loaded once more.
  const loadTables = () => {
    loading ??= setTimeout(load, 1000);
    clearTimeout(again);
    again = setTimeout(load, 15000);
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
