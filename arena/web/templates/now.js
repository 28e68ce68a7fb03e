// Says in the header how many games are played now. It asks again and again, because a stream would keep a connection.
const AGAIN = 10000;
const link = document.getElementById("now");

const ask = async () => {
  if (document.hidden) return;
  const answer = await fetch("/api/live").catch(() => null);
  link.hidden = !answer?.ok;
  if (link.hidden) return;
  const { games, url } = await answer.json();
  link.textContent = games ? `${games} ${games === 1 ? "game" : "games"} live` : "nothing live";
  link.classList.toggle("on", games > 0);
  link.href = url;
};

ask();
document.addEventListener("visibilitychange", ask);
setInterval(ask, AGAIN);
