// Says that the film of a game is being made: a server draws it when someone first asks for it, which takes seconds. A
// busy server says when to ask again.
const link = document.getElementById("film");
const text = link.textContent;
let state = "";

const film = async () => {
  const answer = await fetch(link.href);
  const later = Number(answer.headers.get("retry-after"));
  if (!later) return answer.ok && answer.blob();
  await new Promise((resolve) => setTimeout(resolve, 1000 * later));
  return film();
};

link.addEventListener("click", async (event) => {
  if (state === "made") return; // the browser saves it
  event.preventDefault();
  if (state) return;
  state = "asked";
  link.textContent = "The GIF is being made …";
  const made = await film().catch(() => null);
  state = made ? "made" : "";
  link.textContent = made ? text : "There is no GIF now. Try again";
  if (made) link.click();
});
