// Says that the film of a game is being made: a server draws it when someone first asks for it, which takes seconds.
const link = document.getElementById("film");
const text = link.textContent;
let state = "";

link.addEventListener("click", async (event) => {
  if (state === "made") return; // the browser saves it
  event.preventDefault();
  if (state) return;
  state = "asked";
  link.textContent = "The GIF is being made …";
  const made = await fetch(link.href).then((answer) => answer.ok && answer.blob()).catch(() => null);
  state = made ? "made" : "";
  link.textContent = made ? text : "There is no GIF now. Try again";
  if (made) link.click();
});
