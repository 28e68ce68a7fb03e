// A board on which a person chooses places: by clicks, by drags, and by keys. It knows no game.

const SVG = "http://www.w3.org/2000/svg";
const draw = (name, attributes, ...children) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const HIT = 16; // the least width of what can be hit of a place between squares
const MARGIN = 10;

export class BoardView {
  // choose: called with the name of a place; choices: returns the names that can be chosen now.
  constructor({ choose, choices }) {
    this.choose = choose;
    this.choices = choices;
    this.turned = false;
    this.places = new Map();
    this.cells = new Map();
    this.focused = null;
    this.pressed = null;
    this.ghost = null;
    this.board = document.getElementById("board");
    this.drawing = document.getElementById("drawing");
    this.marks = document.getElementById("marks");
    this.layer = document.getElementById("places");
    this.board.addEventListener("keydown", (event) => this.onKey(event));
    this.board.addEventListener("pointerdown", (event) => this.onDown(event));
    this.board.addEventListener("pointerup", (event) => this.onUp(event));
    this.board.addEventListener("pointercancel", () => { this.pressed = null; });
    this.board.addEventListener("focusin", (event) => this.onFocus(event));
  }

  show(state) {
    const { board, places } = state;
    this.board.setAttribute("class", `board ${board.look}`);
    this.drawing.innerHTML = board.markup; // drawn by the server; it has no text of others
    this.places = new Map(places.map((place) => [place.name, place]));
    this.board.setAttribute("viewBox", this.box(board.box, places).join(" "));
    const had = this.layer.contains(document.activeElement);
    this.showCells(places);
    if (had) this.cells.get(this.focused)?.focus();
  }

  // The drawing, and the places around it.
  box([left, top, width, height], places) {
    const lefts = places.map(({ box }) => box[0] - MARGIN);
    const tops = places.map(({ box }) => box[1] - MARGIN);
    const x = Math.min(left, ...lefts);
    const y = Math.min(top, ...tops);
    const right = Math.max(left + width, ...places.map(({ box }) => box[0] + box[2] + MARGIN));
    const bottom = Math.max(top + height, ...places.map(({ box }) => box[1] + box[3] + MARGIN));
    return [x, y, right - x, bottom - y];
  }

  // A row of the grid for each row of places; the first one can be reached with the tabulator.
  showCells(places) {
    const rows = new Map();
    this.cells = new Map();
    for (const place of [...places].sort((one, other) => other.row - one.row || one.column - other.column)) {
      if (!rows.has(place.row)) rows.set(place.row, draw("g", { role: "row" }));
      const [x, y, width, height] = this.area(place);
      const cell = draw("rect", {
        x, y, width, height, class: place.between ? "place between" : "place",
        role: "gridcell", tabindex: "-1", "aria-label": place.label, "data-place": place.name,
      });
      rows.get(place.row).append(cell);
      this.cells.set(place.name, cell);
    }
    this.layer.replaceChildren(...rows.values());
    // Squares first, so that what is between them is above them.
    for (const row of rows.values()) if (!row.querySelector(".between")) this.layer.prepend(row);
    if (!this.cells.has(this.focused)) this.focused = this.cells.keys().next().value ?? null;
    if (this.focused) this.cells.get(this.focused).setAttribute("tabindex", "0");
  }

  area({ box: [x, y, width, height], between }) {
    if (!between) return [x, y, width, height];
    const flat = width > height;
    const length = (flat ? width : height) / 2;
    const [middleX, middleY] = [x + width / 2, y + height / 2];
    return flat ? [middleX - length / 2, middleY - HIT / 2, length, HIT] : [middleX - HIT / 2, middleY - length / 2, HIT, length];
  }

  middle(name) {
    const [x, y, width, height] = this.places.get(name).box;
    return [x + width / 2, y + height / 2];
  }

  // Show what was chosen, the places of each action, and what can follow.
  mark(paths, next, begun) {
    const shown = paths.map((path) => path.filter((name) => this.places.has(name)));
    const drawn = shown.flat();
    const items = shown.flatMap((path) => this.way(path));
    drawn.forEach((name, index) => {
      const [x, y] = this.middle(name);
      const last = index === drawn.length - 1;
      if (last) items.push(draw("circle", { cx: x, cy: y, r: 17, class: "held" }));
      if (drawn.length > 1) items.push(draw("circle", { cx: x + 11, cy: y - 11, r: 7, class: "count" }), this.number(x + 11, y - 11, index + 1));
    });
    const open = new Set(next);
    for (const name of open) {
      const place = this.places.get(name);
      if (!place || place.between) continue;
      const [cx, cy] = this.middle(name);
      if (!begun && !place.empty) items.push(draw("circle", { cx, cy, r: 17, class: "movable" }));
      else items.push(draw("circle", { cx, cy, r: 12, class: "target" }), draw("circle", { cx, cy, r: 5, class: "target dot" }));
    }
    this.marks.replaceChildren(...items);
    for (const [name, cell] of this.cells) {
      cell.classList.toggle("open", open.has(name));
      cell.setAttribute("aria-selected", String(drawn.includes(name)));
      const label = this.places.get(name).label;
      cell.setAttribute("aria-label", open.has(name) ? `${label}, can be chosen` : label);
    }
    this.setGhost(null);
  }

  // A line along the places of an action.
  way(path) {
    const items = [];
    for (let index = 1; index < path.length; index++) {
      const [[x1, y1], [x2, y2]] = [this.middle(path[index - 1]), this.middle(path[index])];
      items.push(draw("line", { x1, y1, x2, y2, class: "way under" }), draw("line", { x1, y1, x2, y2, class: "way" }));
    }
    return items;
  }

  number(x, y, count) {
    const text = draw("text", { x, y, class: "count-text" });
    text.textContent = String(count);
    return text;
  }

  // The wall under a finger, before it is placed.
  setGhost(name) {
    this.ghost = name;
    this.marks.querySelectorAll(".ghost").forEach((item) => item.remove());
    if (!name) return;
    const [x, y, width, height] = this.places.get(name).box;
    this.marks.append(draw("rect", { x, y, width, height, class: "ghost" }));
  }

  placeAt(event) {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-place]");
    return found ? found.dataset.place : null;
  }

  onDown(event) {
    const name = this.placeAt(event);
    if (!name || event.button) return;
    if (event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
    this.pressed = name;
    if (event.pointerType !== "touch") this.choose(name); // a finger may begin to scroll
  }

  // The end of a drag is the next place.
  onUp(event) {
    const name = this.placeAt(event);
    const begun = this.pressed;
    this.pressed = null;
    if (!name || !begun) return;
    if (event.pointerType === "touch") this.tap(name, begun);
    else if (name !== begun && this.choices().includes(name)) this.choose(name);
  }

  tap(name, begun) {
    if (name !== begun) return;
    const first = this.places.get(name).between && this.ghost !== name && this.choices().includes(name);
    if (first) this.setGhost(name);
    else this.choose(name);
  }

  onFocus(event) {
    const name = event.target.dataset?.place;
    if (!name || name === this.focused) return;
    this.cells.get(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = name;
    this.cells.get(name).setAttribute("tabindex", "0");
  }

  focus(name) {
    this.cells.get(name)?.focus({ preventScroll: true });
  }

  onKey(event) {
    const steps = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const name = event.target.dataset?.place;
    if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.choose(name);
    else if (steps[event.key]) {
      const [up, right] = steps[event.key].map((step) => (this.turned ? -step : step));
      const next = this.neighbour(this.places.get(name), up, right);
      if (next) this.focus(next);
    } else return;
    event.preventDefault();
  }

  // The nearest place in a direction; among equally near ones, the one most straight ahead.
  neighbour(from, up, right) {
    let best = null;
    let least = Infinity;
    for (const place of this.places.values()) {
      const ahead = (place.row - from.row) * up + (place.column - from.column) * right;
      const aside = Math.abs((place.row - from.row) * right) + Math.abs((place.column - from.column) * up);
      if (ahead > 0 && ahead + 8 * aside < least) {
        least = ahead + 8 * aside;
        best = place.name;
      }
    }
    return best;
  }
}
