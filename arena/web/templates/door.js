// Keeps a page of the door true while something on it can change.
import { morph } from "./morph.js";

const look = async () => {
  const live = document.getElementById("live");
  if (live.dataset.live !== "1") return;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    const newer = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
    if (answer.ok && newer) morph(live, newer);
  } catch {
    // The server is away for a moment; the next look may find it.
  }
  setTimeout(look, 2000);
};
setTimeout(look, 2000);
