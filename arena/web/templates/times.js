// Writes the times of a page in the reader's own zone. Without this script they are in UTC.
"use strict";

window.localTimes = (root) => {
  const day = { day: "numeric", month: "short", year: "numeric" };
  const moment = { ...day, hour: "2-digit", minute: "2-digit", timeZoneName: "short" };
  for (const time of root.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    time.textContent = at.toLocaleString("en-GB", time.className === "day" ? day : moment);
    if (time.className === "day") time.title = at.toLocaleString("en-GB", moment);
  }
};
window.localTimes(document);
