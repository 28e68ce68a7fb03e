// Asks the server for the boards after the moves of a line, for replay.js. A report has no server.
"use strict";

async function load(address, first) {
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok) drawn.delete(address);
  return answer?.ok ? (await answer.json()).boards.slice(first) : [];
}
