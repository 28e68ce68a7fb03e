// A sentence at the edge of the page, for five seconds. In a hurry some are left out, so that each can be read and heard.
const SHOWN = 5000;
const LEAST = 2000;
const box = document.getElementById("toast");
let since = 0;
let timer = null;

const close = () => { box.hidden = true; };
box.querySelector("button").addEventListener("click", close);

export const toast = (text) => {
  if (!box.hidden && Date.now() - since < LEAST) return;
  since = Date.now();
  box.querySelector("span").textContent = text;
  box.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(close, SHOWN);
};
