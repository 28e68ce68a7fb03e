// One stream of events, as a page sees it. streams.js holds the streams of all pages; a hidden page follows none.
const STALE = 10000;
const AGAIN = 5000;

export class Stream {
  // Calls the handler of each kind of event with its data, and `failed` when the server is not there.
  constructor(address, handlers, failed = () => {}) {
    this.handlers = { alive() {}, ...handlers };
    this.failed = failed;
    this.heard = Date.now();
    this.wish = { address, kinds: Object.keys(this.handlers) };
    this.port = null;
    this.ends = new AbortController();
    this.#open();
  }

  // Whether nothing has come for longer than from a server that lives.
  get stale() {
    return Date.now() - this.heard > STALE;
  }

  // Says in an element for how long there has been no news, and lets the reader try again.
  showStale(line) {
    line.hidden = !this.stale;
    if (!this.stale) return;
    if (!line.children.length) {
      const now = document.createElement("button");
      now.type = "button";
      now.textContent = "Now";
      now.addEventListener("click", () => this.#follow());
      line.replaceChildren(document.createElement("span"), " ", now);
    }
    const seconds = (ms) => `${Math.max(Math.round(ms / 1000), 0)} s`;
    const [text] = line.children;
    text.textContent = `No news for ${seconds(Date.now() - this.heard)}. Trying again in ${seconds(this.tries - Date.now())}.`;
  }

  // Follows no more.
  close() {
    this.ends.abort();
  }

  async #open() {
    const follow = () => this.#follow();
    this.port = await connection();
    this.port.onmessage = ({ data }) => this.#take(data);
    const timer = setInterval(follow, AGAIN); // the worker forgets a page that is silent
    document.addEventListener("visibilitychange", follow, { signal: this.ends.signal });
    this.ends.signal.addEventListener("abort", () => {
      clearInterval(timer);
      this.port.postMessage(null);
      this.port.onmessage = null;
    });
    follow();
  }

  #follow() {
    this.tries = Date.now() + AGAIN;
    this.port.postMessage(document.hidden ? null : { ...this.wish, again: this.stale });
  }

  #take({ kind, data }) {
    if (kind === "error") {
      this.failed();
      return;
    }
    this.heard = Date.now();
    if (kind in this.handlers) this.handlers[kind](JSON.parse(data));
  }
}

// A way to the shared worker. Some browsers on phones have none, others none in a frame of another site: the page
// then holds its stream itself.
async function connection() {
  try {
    return new SharedWorker("/streams.js", { type: "module" }).port;
  } catch { /* as above */ }
  const { port1, port2 } = new MessageChannel();
  (await import("./streams.js")).serve(port2);
  return port1;
}
