// The short film of a game gives way to the whole one, which a server draws when someone first wants it: that takes
// seconds. A busy server says when to ask again.
const link = document.getElementById("film");
const state = document.getElementById("film-state");
const { whole } = link.dataset;

const drawn = async () => {
  const answer = await fetch(whole);
  const later = Number(answer.headers.get("retry-after"));
  if (!later) return answer.ok;
  await new Promise((resolve) => setTimeout(resolve, 1000 * later));
  return drawn();
};

document.getElementById("share").addEventListener("toggle", async () => {
  state.textContent = "The whole GIF is being made …";
  const made = await drawn().catch(() => false);
  state.textContent = made ? "" : "There is no whole GIF now.";
  if (!made) return;
  Object.assign(link, { href: whole, download: link.download.replace("-end", "") });
  link.querySelector("span").textContent = "all plies";
}, { once: true });
