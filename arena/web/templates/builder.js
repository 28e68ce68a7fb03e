// Puts a move together from the parts of the legal moves. It knows no game.

export class Builder {
  // data: parts, a list of {text, place, word}; ways, a list of [move, numbers of parts].
  constructor(data) {
    this.parts = data.parts;
    this.ways = data.ways;
    this.chosen = [];
  }

  // The ways that begin with what was chosen.
  fitting() {
    return this.ways.filter(([, numbers]) => this.chosen.every((part, index) => numbers[index] === part));
  }

  // The numbers of the parts that can follow.
  next() {
    const at = this.chosen.length;
    return [...new Set(this.fitting().map(([, numbers]) => numbers[at]).filter((part) => part !== undefined))];
  }

  // The parts that can follow at a place: several, if the place has several meanings.
  at(place) {
    return this.next().filter((part) => this.parts[part].place === place);
  }

  // The move that is complete with what was chosen; null if none is.
  complete() {
    const found = this.fitting().find(([, numbers]) => numbers.length === this.chosen.length);
    return found && this.chosen.length ? found[0] : null;
  }

  // The only way to a place that does not follow at once; null if there is none or several.
  wayTo(place) {
    const ways = this.fitting().filter(([, numbers]) => this.parts[numbers.at(-1)].place === place);
    return ways.length === 1 ? ways[0] : null;
  }

  choose(part) {
    this.chosen.push(part);
  }

  undo() {
    this.chosen.pop();
  }

  clear() {
    this.chosen = [];
  }

  // The chosen parts, in a list for each action of the move. A comma begins an action.
  actions() {
    const found = [];
    for (const part of this.chosen.map((number) => this.parts[number])) {
      if (!found.length || part.text.startsWith(",")) found.push([]);
      found.at(-1).push(part);
    }
    return found;
  }

  // The places of the chosen parts, in a list for each action.
  paths() {
    return this.actions().map((parts) => parts.map((part) => part.place).filter((place) => place));
  }
}
