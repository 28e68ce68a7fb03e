// One stream of events. It is closed while the page is hidden, because a browser opens six connections to a server.
const STALE = 25000;

export class Stream {
  // Calls the handler of each kind of event with its data.
  constructor(address, handlers) {
    this.address = address;
    this.handlers = handlers;
    this.heard = Date.now();
    this.source = null;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.close();
      else if (!this.source) this.connect();
    });
    this.connect();
  }

  // Whether the server has said nothing for longer than it does when it lives.
  get stale() {
    return Date.now() - this.heard > STALE;
  }

  connect() {
    this.close();
    const source = new EventSource(this.address);
    this.source = source;
    source.onopen = () => { this.heard = Date.now(); };
    source.onerror = () => {
      // A browser does not come back by itself after an answer that is no stream, such as "try later".
      if (source.readyState === EventSource.CLOSED && source === this.source) setTimeout(() => this.connect(), 1000);
    };
    const handlers = { alive() {}, ...this.handlers };
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, (event) => {
        this.heard = Date.now();
        handle(JSON.parse(event.data));
      });
    }
  }

  close() {
    if (this.source) this.source.close();
    this.source = null;
  }

  // Says in an element for how long there has been no news.
  showStale(line) {
    line.hidden = !this.stale;
    if (this.stale) line.textContent = `No news for ${Math.round((Date.now() - this.heard) / 1000)} s. Trying again.`;
  }
}
