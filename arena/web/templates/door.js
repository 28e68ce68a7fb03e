// Keeps a page of the door true while something on it can change, and copies commands.
import { morph, newest } from "./morph.js";

const offerCopies = (root) => {
  if (navigator.clipboard) for (const button of root.querySelectorAll("[data-copy]")) button.hidden = false;
};

const look = async () => {
  const live = document.getElementById("live");
  if (live.dataset.live !== "1") return;
  const newer = (await newest())?.getElementById("live");
  if (newer) {
    offerCopies(newer);
    morph(live, newer);
  }
  setTimeout(look, 2000);
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 2000);
});
offerCopies(document);
setTimeout(look, 2000);
