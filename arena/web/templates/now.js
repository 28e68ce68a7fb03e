// Says in the header how many games are played now. It asks again and again, because a stream would keep a connection.
const AGAIN = 10000;
const link = document.getElementById("now");

const ask = async () => {
  if (document.hidden) return;
  const live = await fetch("/api/live").then((answer) => answer.ok && answer.json()).catch(() => null);
  link.hidden = !live;
  if (!live) return;
  const { games, url } = live;
  link.textContent = games ? `${games} ${games === 1 ? "game" : "games"} live` : "nothing live";
  link.classList.toggle("on", games > 0);
  link.href = url;
};

ask();
document.addEventListener("visibilitychange", ask);
setInterval(ask, AGAIN);
if (document.querySelector("[data-computing]")) setTimeout(() => location.reload(), 3000);
// The key / leads to the search, but not where one writes.
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest("input, select, textarea")) {
    event.preventDefault();
    location.assign("/search");
  }
});
