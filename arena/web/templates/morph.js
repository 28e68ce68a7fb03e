// Makes a part of the page like a newer one, and touches nothing that is equal: the reader keeps the place, what is
// selected, and which details are open. Rows of tables are known by their headers, so a row that moves stays the same row.
const keyOf = (node) => node.id || (node.nodeName === "TR" && node.querySelector("th[scope=row]")?.textContent) || "";
export const morph = (old, newer) => {
  if (old.nodeType !== Node.ELEMENT_NODE || old.nodeName !== newer.nodeName) {
    if (!old.isEqualNode(newer)) old.replaceWith(newer);
    return;
  }
  const gone = [...old.attributes].filter(({ name }) => !newer.hasAttribute(name) && name !== "open");
  for (const { name } of gone) old.removeAttribute(name);
  for (const { name, value } of newer.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const keyed = new Map([...old.childNodes].filter(keyOf).map((node) => [keyOf(node), node]));
  const children = [...newer.childNodes];
  children.forEach((child, index) => {
    const known = keyed.get(keyOf(child));
    const here = old.childNodes[index];
    if (known && known !== here) old.insertBefore(known, here || null);
    const now = old.childNodes[index];
    if (!now) old.append(child);
    else if (!known && keyOf(now)) old.insertBefore(child, now);
    else morph(now, child);
  });
  while (old.childNodes.length > children.length) old.lastChild.remove();
};

// Returns this page as the server has it now, with times in the reader's zone; null if the server does not answer. If the
// page has another address now, it is opened there.
export const newest = async () => {
  const answer = await fetch(location.pathname + location.search, { headers: { accept: "text/html" } }).catch(() => null);
  if (answer?.ok && answer.redirected) location.replace(answer.url + location.hash);
  if (!answer?.ok || answer.redirected) return null;
  const newer = new DOMParser().parseFromString(await answer.text(), "text/html");
  window.localTimes(newer);
  return newer;
};
