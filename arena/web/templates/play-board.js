// A board on which a person chooses places: by clicks, by drags, and by keys. It knows no game.

const SVG = "http://www.w3.org/2000/svg";
export const draw = (name, attributes, ...children) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const DRAG = 6; // pixels: a shorter way of the pointer is a click
const EDGE = { open: 6, closed: 10 }; // so near to its edge, a square is a part of the groove

export class BoardView {
  // choose: called with the name of a place; choices: returns the names that can be chosen now.
  constructor({ choose, choices }) {
    this.choose = choose;
    this.choices = choices;
    this.turned = false;
    this.places = new Map();
    this.cells = new Map();
    this.pieces = {};
    this.focused = null;
    this.pressed = null;
    this.held = null; // the drawing of the piece that can be dragged
    this.heldAt = null;
    this.grooves = [];
    this.shown = new Map(); // the pieces that were drawn last
    this.view = [0, 0, 1, 1];
    this.board = document.getElementById("board");
    this.drawing = document.getElementById("drawing");
    this.ways = document.getElementById("ways");
    this.standing = document.getElementById("standing");
    this.marks = document.getElementById("marks");
    this.hover = document.getElementById("hover");
    this.layer = document.getElementById("places");
    this.board.addEventListener("keydown", (event) => this.onKey(event));
    this.board.addEventListener("pointerdown", (event) => this.onDown(event));
    this.board.addEventListener("pointermove", (event) => this.onMove(event));
    document.addEventListener("pointerup", (event) => this.onUp(event)); // a drag may end outside the board
    document.addEventListener("pointercancel", () => this.letGo());
    this.board.addEventListener("pointerleave", () => this.point(null));
    this.board.addEventListener("mousedown", (event) => event.preventDefault()); // the place gets the focus, not what is on it
    document.addEventListener("keydown", () => this.board.classList.add("keyed"), true); // only then the focus is shown
    document.addEventListener("pointerdown", () => this.board.classList.remove("keyed"), true);
    this.board.addEventListener("focusin", (event) => this.onFocus(event));
    this.board.addEventListener("focusout", () => this.point(null));
  }

  // Whether the last input was by a key.
  get keyed() {
    return this.board.classList.contains("keyed");
  }

  show(state) {
    const { board, places } = state;
    this.pressed = null; // what was pressed on another position is no place of this one
    this.board.setAttribute("class", `board ${board.look}${this.keyed ? " keyed" : ""}`);
    this.drawing.innerHTML = board.markup; // drawn by the server; it has no text of others
    this.pieces = board.pieces;
    this.places = new Map(places.map((place) => [place.name, place]));
    this.grooves = places.filter((place) => place.between);
    this.view = board.box;
    this.board.setAttribute("viewBox", this.view.join(" "));
    const had = this.layer.contains(document.activeElement);
    this.showCells(places);
    if (had) this.cells.get(this.focused)?.focus({ preventScroll: true });
  }

  // A row of the grid for each row of places; the first one can be reached with the tabulator.
  showCells(places) {
    const rows = new Map();
    this.cells = new Map();
    for (const place of [...places].sort((one, other) => other.row - one.row || one.column - other.column)) {
      if (!rows.has(place.row)) rows.set(place.row, draw("g", { role: "row" }));
      const [x, y, width, height] = place.box;
      const cell = draw("rect", {
        x, y, width, height, class: place.between ? "place between" : "place",
        role: "gridcell", tabindex: "-1", "aria-label": place.label, "data-place": place.name,
      });
      rows.get(place.row).append(cell);
      this.cells.set(place.name, cell);
    }
    this.layer.replaceChildren(...rows.values());
    if (!this.cells.has(this.focused)) this.focused = this.cells.keys().next().value ?? null;
    if (this.focused) this.cells.get(this.focused).setAttribute("tabindex", "0");
  }

  middle(name) {
    const [x, y, width, height] = this.places.get(name).box;
    return [x + width / 2, y + height / 2];
  }

  // Draw the position as it is with what was chosen, and mark the places that can follow.
  // drawn: as of Builder.drawn, or null; next: the names that can follow; started: whether anything was chosen.
  mark(drawn, next, started) {
    this.point(null);
    const before = new Map([...this.places.values()].filter((place) => place.piece).map((place) => [place.name, place.piece]));
    const after = drawn ? this.after(before, drawn) : before;
    const paths = (drawn ? drawn.moves : []).map((path) => path.filter((name) => this.places.has(name)));
    const last = paths.at(-1)?.at(-1);
    this.held = null;
    this.heldAt = last;
    const standing = [];
    for (const [name, key] of before) if (!after.has(name)) standing.push(this.piece(key, name, "gone"));
    for (const [name, key] of after) {
      const made = this.piece(key, name, "piece");
      if (name === last) this.held = made;
      standing.push(made);
    }
    this.standing.replaceChildren(...standing);
    if (!started) this.travel(after, standing);
    this.shown = after;
    this.ways.replaceChildren(...this.under(drawn, paths, before));
    this.marks.replaceChildren(...this.over(paths), ...this.targets(next, started));
    const open = new Set(next);
    const chosen = new Set([...paths.flat(), ...(drawn ? [...drawn.puts.keys(), ...drawn.taken] : [])]);
    for (const [name, cell] of this.cells) {
      cell.classList.toggle("open", open.has(name));
      cell.setAttribute("aria-selected", String(chosen.has(name)));
      const label = this.places.get(name).label;
      cell.setAttribute("aria-label", open.has(name) ? `${label}, can be chosen` : label);
    }
  }

  // Let a piece that has moved travel to its place. drawings: of the pieces.
  travel(after, drawings) {
    const came = [...after].filter(([name, key]) => this.shown.get(name) !== key);
    const left = [...this.shown].filter(([name, key]) => after.get(name) !== key && this.places.has(name));
    if (came.length !== 1 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [[name, key]] = came;
    const from = left.filter(([, one]) => one === key);
    const [x, y] = this.middle(name);
    const made = drawings.find((one) => one.getAttribute("transform") === `translate(${x} ${y})`);
    if (from.length !== 1 || !made) return;
    const [fromX, fromY] = this.middle(from[0][0]);
    made.animate([{ transform: `translate(${fromX}px, ${fromY}px)` }, { transform: `translate(${x}px, ${y}px)` }], { duration: 160, easing: "ease-out" });
  }

  // The pieces by place, with what was chosen.
  after(before, { moves, puts, becomes, stands, whole }) {
    const pieces = new Map([...before, ...puts]);
    moves.forEach((path, index) => {
      const key = becomes[index] ?? pieces.get(path[0]);
      if (path.length < 2 || key === undefined) return;
      pieces.delete(path[0]);
      pieces.set(path.at(-1), key);
    });
    // Before a move is whole, only what a piece has jumped over has changed for sure.
    const jumped = (name) => moves.some((path) => path.some((to, index) => index && this.isBetween(name, path[index - 1], to)));
    for (const [name, key] of stands) if (whole || jumped(name)) pieces.set(name, key);
    for (const [name, key] of pieces) if (!key) pieces.delete(name);
    return pieces;
  }

  // A piece, upright on a turned board, too.
  piece(key, name, look) {
    const [x, y] = this.middle(name);
    const made = draw("g", { transform: `translate(${x} ${y})`, class: look }, draw("g", { class: "upright" }));
    made.firstChild.innerHTML = this.pieces[key] ?? "";
    return made;
  }

  // What was chosen, below the pieces: tiles, and the ways of pieces.
  under(drawn, paths, before) {
    const items = [];
    for (const name of drawn ? drawn.taken : []) items.push(this.square(name, "hole taken"));
    paths.forEach((path, number) => {
      for (const name of path) if (this.places.get(name).bare) items.push(this.square(name, "tile c1 laid"));
      for (let index = 1; index < path.length; index++) items.push(...this.way(path[index - 1], path[index], before, number === paths.length - 1 ? "" : "done"));
    });
    return items;
  }

  // A move that an engine would play: its ways, and its places.
  hint(paths) {
    const items = [];
    for (const path of paths.map((one) => one.filter((name) => this.places.has(name)))) {
      for (let index = 1; index < path.length; index++) items.push(...this.way(path[index - 1], path[index], this.shown, "hint"));
      if (path.length) items.push(this.square(path.at(-1), this.places.get(path.at(-1)).between ? "wall ghost" : "advised"));
    }
    this.ways.append(...items);
  }

  // What was chosen, above the pieces: walls, the piece in hand, and numbers along its way.
  over(paths) {
    const items = [];
    paths.forEach((path, number) => {
      const open = number === paths.length - 1;
      path.forEach((name, index) => {
        const place = this.places.get(name);
        const end = index === path.length - 1;
        if (place.between) items.push(this.square(name, "wall chosen"));
        else {
          const [x, y] = this.middle(name);
          if (end && open) items.push(draw("circle", { cx: x, cy: y, r: 17, class: "held" }));
          if (path.length > 2) items.push(this.number(end ? x + 12 : x, end ? y - 12 : y, index + 1));
        }
      });
    });
    return items;
  }

  targets(next, started) {
    const items = [];
    for (const name of new Set(next)) {
      const place = this.places.get(name);
      if (!place || place.between) continue;
      const [cx, cy] = this.middle(name);
      if (!started && !place.empty) items.push(draw("circle", { cx, cy, r: 17, class: "movable" }));
      else if (place.empty) items.push(draw("circle", { cx, cy, r: 12, class: "target" }), draw("circle", { cx, cy, r: 5, class: "target dot" }));
      else items.push(draw("circle", { cx, cy, r: 17, class: "target" }));
    }
    return items;
  }

  square(name, look) {
    const [x, y, width, height] = this.places.get(name).box;
    const inset = look.startsWith("hole") || look.startsWith("tile") ? 1.5 : 0;
    return draw("rect", { x: x + inset, y: y + inset, width: width - 2 * inset, height: height - 2 * inset, rx: 2, class: look });
  }

  // An arc over the pieces between two places, or a line if there are none.
  way(from, to, before, kind) {
    const [[x1, y1], [x2, y2]] = [this.middle(from), this.middle(to)];
    const length = Math.hypot(x2 - x1, y2 - y1);
    const over = [...before.keys()].some((name) => this.isBetween(name, from, to));
    // The arc is above a level way, and beside a steep one.
    const [dx, dy] = over ? [(y2 - y1) / length, -Math.abs(x2 - x1) / length] : [0, 0];
    const bend = Math.min(length / 2, 44);
    const shape = `M${x1} ${y1}Q${(x1 + x2) / 2 + dx * bend} ${(y1 + y2) / 2 + dy * bend} ${x2} ${y2}`;
    const look = `way ${kind}`;
    return [draw("path", { d: shape, class: `${look} under` }), draw("path", { d: shape, class: look })];
  }

  // Whether a place is on the straight line between two others.
  isBetween(name, from, to) {
    if (name === from || name === to) return false;
    const [[x, y], [x1, y1], [x2, y2]] = [name, from, to].map((one) => this.middle(one));
    return Math.hypot(x - x1, y - y1) + Math.hypot(x2 - x, y2 - y) < Math.hypot(x2 - x1, y2 - y1) + 1;
  }

  number(x, y, count) {
    const text = draw("text", { x, y, class: "count-text" });
    text.textContent = String(count);
    return draw("g", {}, draw("circle", { cx: x, cy: y, r: 7, class: "count" }), text);
  }

  // Show what a click would choose: a wall, or that a place is forbidden.
  point(name) {
    this.hovered = name;
    const place = this.places.get(name);
    const can = Boolean(place) && this.choices().includes(name);
    this.board.classList.toggle("can", can);
    const shown = place && (place.between || can) && !this.pressed;
    this.hover.replaceChildren(...(shown ? [this.square(name, !can ? "wall never" : place.between ? "wall ghost" : "lift")] : []));
  }

  // Show that a place cannot be chosen.
  refuse(name) {
    const place = this.places.get(name);
    if (!place) return;
    const [x, y] = this.middle(name);
    const cross = draw("path", { d: `M${x - 7} ${y - 7}L${x + 7} ${y + 7}M${x + 7} ${y - 7}L${x - 7} ${y + 7}`, class: "refused" });
    this.hover.replaceChildren(...(place.between ? [this.square(name, "wall never")] : [cross]));
  }

  // Where a point of the window is in the drawing.
  at({ clientX, clientY }) {
    const { left, top, width, height } = this.board.getBoundingClientRect();
    const [x, y, wide, high] = this.view;
    const scale = Math.min(width / wide, height / high);
    const sign = this.turned ? -1 : 1;
    return [x + wide / 2 + (sign * (clientX - left - width / 2)) / scale, y + high / 2 + (sign * (clientY - top - height / 2)) / scale];
  }

  // The rectangle of a place in the window.
  area(name) {
    return this.cells.get(name).getBoundingClientRect();
  }

  placeAt(event) {
    const [x, y] = this.at(event);
    const choices = this.choices();
    let under = null;
    for (const { name, between, box: [left, top, width, height] } of this.places.values()) {
      const inner = Math.min(x - left, left + width - x, y - top, top + height - y);
      if (between || inner < 0) continue;
      if (!this.grooves.length || inner > (choices.includes(name) ? EDGE.open : EDGE.closed)) return name;
      under = name;
    }
    return this.wallAt(x, y) ?? under;
  }

  // The wall in the nearest groove whose middle is the nearest one.
  wallAt(x, y) {
    let best = null;
    let least = Infinity;
    for (const place of this.grooves) {
      const [left, top, width, height] = place.box;
      const [aside, along] = [Math.abs(x - left - width / 2), Math.abs(y - top - height / 2)];
      const [across, off, half] = width > height ? [along, aside, width / 2] : [aside, along, height / 2];
      if (off <= half + 4 && across < 20 && across * 100 + off < least) {
        least = across * 100 + off;
        best = place.name;
      }
    }
    return best;
  }

  onDown(event) {
    const name = this.placeAt(event);
    if (!name || event.button) return;
    if (event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
    this.pressed = { name, x: event.clientX, y: event.clientY };
    if (event.pointerType !== "touch") this.choosePointed(name); // a finger may start to scroll
  }

  onMove(event) {
    if (event.pointerType === "touch") return;
    const { pressed, held } = this;
    if (pressed && held && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > DRAG) {
      const [x, y] = this.at(event);
      held.setAttribute("transform", `translate(${x} ${y})`);
      this.standing.append(held);
    } else if (!pressed) {
      const name = this.placeAt(event);
      if (name !== this.hovered) this.point(name);
    }
  }

  // The end of a drag is the next place.
  onUp(event) {
    const name = this.placeAt(event);
    const pressed = this.pressed?.name;
    this.letGo();
    if (!name || !pressed) return;
    if (event.pointerType === "touch") {
      if (name === pressed) this.choosePointed(name);
    } else if (name !== pressed && this.choices().includes(name)) this.choose(name);
  }

  // A piece that was dragged goes back, unless it is chosen to go on.
  letGo() {
    this.pressed = null;
    this.held?.setAttribute("transform", `translate(${this.middle(this.heldAt).join(" ")})`);
  }

  choosePointed(name) {
    this.focus(name);
    this.choose(name);
  }

  onFocus(event) {
    const name = event.target.dataset?.place;
    if (!name) return;
    if (this.keyed) this.point(name);
    if (name === this.focused) return;
    this.cells.get(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = name;
    this.cells.get(name).setAttribute("tabindex", "0");
  }

  focus(name) {
    this.cells.get(name)?.focus({ preventScroll: true });
  }

  // Go to the next place that can be chosen, in the order of reading; or back, if step is -1.
  walk(step) {
    const open = new Set([...this.choices(), this.focused]);
    const names = [...this.cells.keys()].filter((name) => open.has(name));
    this.focus(names.at((names.indexOf(this.focused) + (this.turned ? -step : step)) % names.length));
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
    event.stopPropagation();
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
