// Shows a running game of a tournament in a frame of another site.
import { Boards, say } from "./boards.js";
import { Stream } from "./stream.js";

const list = document.getElementById("boards");
const boards = new Boards(list, true);
let running = true;

const stream = new Stream(list.dataset.events, {
  state(news) { running = news.running; boards.reset(news.games); },
  began(news) { running = true; boards.keep(news.game); },
  moved(news) { news.games.forEach((game) => boards.keep(game)); },
  over(news) { boards.over(news); },
});
setInterval(() => {
  boards.tick(running);
  say(document.getElementById("rate"), boards.rate && ` · ${boards.rate}`);
  document.getElementById("nothing").hidden = boards.size > 0;
  stream.showStale(document.getElementById("stale"));
}, 100);
