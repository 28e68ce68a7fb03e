// The streams of events of all pages of this server in one browser: a shared worker, which plain HTTP has, too. A browser
// opens six connections to a server, and a stream keeps one of them. So pages with the same address share one stream,
// and when more than four addresses are wanted, they take turns of a few seconds. A page that joins makes its stream
// start again: the first event is the whole state, so a page that joined or waited is right.
const PLACES = 4;
const TURN = 3000;
const SILENT = 20000;
const RETRY = 1000;
const streams = new Map(); // address -> the pages, the kinds of events that they want, and the open source if it has its turn

// Answers a page: it says again and again which events it follows, and null when it follows none. With `again` it has
// heard nothing for long, so its stream may be dead although the browser does not know it.
export const serve = (port) => {
  port.onmessage = ({ data }) => {
    if (data) join(port, data);
    else leave(port);
  };
};

const join = (port, { address, kinds, again }) => {
  const stream = streams.get(address) ?? { pages: new Map(), kinds: new Set(), source: null, heard: 0 };
  const fresh = !stream.pages.has(port);
  stream.pages.set(port, Date.now());
  if (again && stream.source && Date.now() - stream.heard > RETRY) connect(address, stream);
  if (!fresh) return;
  streams.set(address, stream);
  kinds.forEach((kind) => stream.kinds.add(kind));
  if (stream.source || open().length < PLACES) connect(address, stream);
};

const leave = (port) => {
  for (const [address, stream] of streams) {
    stream.pages.delete(port);
    if (stream.pages.size) continue;
    close(stream);
    streams.delete(address);
  }
  takeTurns(true);
};

const open = () => [...streams.values()].filter((stream) => stream.source);

const close = (stream) => {
  if (stream.source) stream.source.close();
  stream.source = null;
};

const connect = (address, stream) => {
  close(stream);
  const source = new EventSource(address);
  const tell = (message) => {
    stream.heard = Date.now();
    stream.pages.forEach((_, port) => port.postMessage(message));
  };
  stream.source = source;
  stream.heard = Date.now();
  source.onopen = () => tell({ kind: "open" });
  source.onerror = () => {
    tell({ kind: "error" });
    // A browser does not come back by itself after an answer that is no stream, such as "try later".
    if (source.readyState === EventSource.CLOSED) setTimeout(() => { if (source === stream.source) connect(address, stream); }, RETRY);
  };
  for (const kind of stream.kinds) source.addEventListener(kind, (event) => tell({ kind, data: event.data }));
};

// Opens streams that wait, the one that waits longest first. Streams that had their turn wait behind them.
const takeTurns = (onlyFree) => {
  const waiting = [...streams].filter(([, stream]) => !stream.source);
  for (const [address, stream] of waiting.slice(0, PLACES)) {
    if (open().length >= PLACES) {
      if (onlyFree) return;
      const [ended, had] = [...streams].find(([, other]) => other.source);
      close(had);
      streams.delete(ended);
      streams.set(ended, had);
    }
    connect(address, stream);
  }
};

setInterval(() => {
  const now = Date.now();
  for (const stream of [...streams.values()]) {
    for (const [port, heard] of stream.pages) if (now - heard > SILENT) leave(port); // its page crashed
  }
  takeTurns(false);
}, TURN);

self.onconnect = (event) => serve(event.ports[0]);
