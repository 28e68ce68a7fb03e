// The form that starts a game against engines. The game is chosen by the links above it.
import { post } from "./post.js";

const element = (id) => document.getElementById(id);
const form = element("choose");
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); }); // one's games have changed

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const wish = {
    game: form.dataset.game,
    seats: [...form.querySelectorAll(".seats select")].map((select) => select.value.slice(1) || null),
    time_control: element("control").value.trim() || form.elements.speed.value,
    clock: element("clock").checked,
    start: element("start").value.trim(),
  };
  const started = await post("/api/play/games", wish, (problem) => {
    element("problem").textContent = problem;
    element("problem").hidden = !problem;
  });
  if (started) location.assign(started.url);
});
