// The form that starts a game against engines. The game is chosen by the links above it.
"use strict";

{
  const element = (id) => document.getElementById(id);
  const form = element("choose");

  const fail = (text) => {
    element("problem").textContent = text;
    element("problem").hidden = !text;
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fail("");
    const wish = {
      game: form.dataset.game,
      seats: [...form.querySelectorAll(".seats select")].map((select) => select.value.slice(1) || null),
      time_control: element("control").value.trim() || form.elements.speed.value,
      clock: element("clock").checked,
      start: element("start").value.trim(),
    };
    try {
      const answer = await fetch("/api/play/games", {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(wish),
      });
      const data = await answer.json();
      if (answer.ok) location.assign(data.url);
      else fail(data.error);
    } catch {
      fail("The server does not answer.");
    }
  });
}
