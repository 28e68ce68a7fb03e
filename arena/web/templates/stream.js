// One stream of events. A browser opens six connections to a server, and a stream keeps one of them. So a page closes
// its stream while it is hidden, and the pages that are seen share four places: while others wait for one, a page gives
// its place away after a few seconds. The first event of a stream is the whole state, so a page that waited is right.
const STALE = 25000;
const PLACES = 4;
const TURN = 3000;

export class Stream {
  // Calls the handler of each kind of event with its data, and `failed` when the server is not there.
  constructor(address, handlers, failed = () => {}) {
    this.address = address;
    this.handlers = handlers;
    this.failed = failed;
    this.heard = Date.now();
    this.source = null;
    this.shown = null;
    document.addEventListener("visibilitychange", () => this.#follow());
    this.#follow();
  }

  // Whether the server has said nothing for longer than it does when it lives.
  get stale() {
    return Date.now() - this.heard > STALE;
  }

  // Begins the stream anew. A page without a place does this when it gets one.
  renew() {
    if (this.source) this.#connect();
  }

  // Takes a place again and again while the page is seen.
  async #follow() {
    if (document.hidden) {
      if (this.shown) this.shown.abort();
      this.shown = null;
      return;
    }
    if (this.shown) return;
    const shown = new AbortController();
    this.shown = shown;
    while (!shown.signal.aborted) await takePlace(shown.signal, (place) => this.#listen(shown.signal, place));
  }

  async #listen(signal, place) {
    this.#connect();
    do await pause(signal); while (!signal.aborted && !await isWanted(place));
    this.#close();
  }

  #connect() {
    this.#close();
    const source = new EventSource(this.address);
    this.source = source;
    source.onopen = () => { this.heard = Date.now(); };
    source.onerror = () => {
      this.failed();
      // A browser does not come back by itself after an answer that is no stream, such as "try later".
      if (source.readyState === EventSource.CLOSED) setTimeout(() => { if (source === this.source) this.#connect(); }, 1000);
    };
    const handlers = { alive() {}, ...this.handlers };
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, (event) => {
        this.heard = Date.now();
        handle(JSON.parse(event.data));
      });
    }
  }

  #close() {
    if (this.source) this.source.close();
    this.source = null;
  }

  // Says in an element for how long there has been no news.
  showStale(line) {
    line.hidden = !this.stale;
    if (this.stale) line.textContent = `No news for ${Math.round((Date.now() - this.heard) / 1000)} s. Trying again.`;
  }
}

// Waits for a place, and keeps it until the task ends. A place is a lock that all pages of the server share. A browser
// has locks only where the connection is safe; elsewhere a page does not wait.
async function takePlace(signal, task) {
  if (!navigator.locks) return task("");
  const { held, pending } = await navigator.locks.query();
  const users = (place) => [...held, ...pending].filter((lock) => lock.name === place).length;
  const places = Array.from({ length: PLACES }, (_, number) => `stream ${number}`);
  const place = places.reduce((best, other) => (users(other) < users(best) ? other : best));
  try {
    await navigator.locks.request(place, { signal }, () => task(place));
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

// Whether another page waits for the place.
async function isWanted(place) {
  return place !== "" && (await navigator.locks.query()).pending.some((lock) => lock.name === place);
}

function pause(signal) {
  return new Promise((done) => {
    const timer = setTimeout(done, TURN);
    signal.addEventListener("abort", () => { clearTimeout(timer); done(); }, { once: true });
  });
}
