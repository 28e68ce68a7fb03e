// The form that begins a game against engines.
"use strict";

{
  const element = (id) => document.getElementById(id);
  const offer = JSON.parse(element("offer").textContent);
  const make = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  const chosen = () => offer.find((game) => game.id === element("game").value);
  const seats = () => [...element("seats").querySelectorAll("select")];

  const show = () => {
    const game = chosen();
    element("seats").replaceChildren();
    for (let seat = 0; seat < game.players; seat++) {
      const select = make("select", { id: `seat-${seat}` }, make("option", { value: "", textContent: "You" }));
      for (const name of game.engines) select.append(make("option", { value: `=${name}`, textContent: name }));
      select.selectedIndex = seat ? 1 + (seat - 1) % Math.max(game.engines.length, 1) : 0;
      if (select.selectedIndex < 0) select.selectedIndex = 0;
      element("seats").append(make("label", { htmlFor: select.id, textContent: game.sides[seat] ?? `Player ${seat + 1}` }), select);
    }
    element("control").value = game.time_control;
    element("start").value = game.start;
  };

  const fail = (text) => {
    element("problem").textContent = text;
    element("problem").hidden = !text;
  };

  element("game").addEventListener("change", show);
  element("choose").addEventListener("submit", async (event) => {
    event.preventDefault();
    fail("");
    const wish = {
      game: chosen().id,
      seats: seats().map((select) => select.value.slice(1) || null),
      time_control: element("control").value.trim(),
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
  // Pages lead here with a game, and its position or the engine to play against.
  const wanted = new URLSearchParams(location.search);
  if (offer.some((game) => game.id === wanted.get("game"))) element("game").value = wanted.get("game");
  show();
  if (wanted.has("engine") && chosen().id === wanted.get("game") && chosen().engines.includes(wanted.get("engine"))) {
    for (const select of seats().slice(1)) select.value = `=${wanted.get("engine")}`;
  }
  if (wanted.has("start") && chosen().id === wanted.get("game")) element("start").value = wanted.get("start");
}
