// The key / opens the search, but not where one writes.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  event.preventDefault();
  const form = document.getElementById("search");
  if (form.popover) form.showPopover();
  form.q.focus();
});
