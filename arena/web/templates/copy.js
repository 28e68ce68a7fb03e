// Buttons that copy a text of the page, or the address of the page. Without a clipboard they are not shown.
"use strict";

document.documentElement.classList.toggle("copies", Boolean(navigator.clipboard));
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button || button.textContent === "Copied") return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy)?.textContent ?? location.href);
  const words = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = words; }, 2000);
});
