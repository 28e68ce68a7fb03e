// Writes the times of a page in the reader's own zone, and ages again as they grow. Without this script they are in UTC.
"use strict";

(() => {
  const day = { day: "numeric", month: "short", year: "numeric" };
  const moment = { ...day, hour: "2-digit", minute: "2-digit", timeZoneName: "short" };
  const units = [[60, "s"], [60, "min"], [24, "h"]];
  const age = (at) => {
    let ago = Math.max((Date.now() - at) / 1000, 0);
    for (const [most, unit] of units) {
      if (ago < most) return `${Math.floor(ago)} ${unit}`;
      ago /= most;
    }
    return at.toLocaleString("en-GB", day);
  };
  window.localTimes = (root) => {
    for (const time of root.querySelectorAll("time")) {
      const at = new Date(time.dateTime);
      const text = time.className === "age" ? age(at) : at.toLocaleString("en-GB", time.className === "day" ? day : moment);
      if (time.textContent !== text) time.textContent = text;
      if (time.className !== "moment") time.title = at.toLocaleString("en-GB", moment);
    }
  };
  window.localTimes(document);
  setInterval(() => window.localTimes(document), 1000);
})();
