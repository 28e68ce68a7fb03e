// Keeps a page of the door true while something on it can change.
import { morph, newest } from "./morph.js";

const look = async () => {
  const live = document.getElementById("live");
  if (live.dataset.live !== "1") return;
  const newer = await newest();
  for (const part of newer ? document.querySelectorAll("#standing, #live") : []) morph(part, newer.getElementById(part.id));
  setTimeout(look, 2000);
};

setTimeout(look, 2000);
