// Puts a move together from the parts of the legal moves, and says how it looks on the board. It knows no game.

export const takes = (part) => part.text.startsWith("@");

export class Builder {
  // data: parts, a list of {text, place, word, piece}; ways, a list of [move, numbers of parts, becomes, stands];
  // written, the moves as people write them.
  constructor(data) {
    this.parts = data.parts;
    this.ways = data.ways;
    this.written = data.written;
    this.chosen = [];
  }

  // Returns a move as people write it.
  write(move) {
    return this.written[move] ?? move;
  }

  // The ways that start with what was chosen.
  fitting() {
    return this.ways.filter(([, numbers]) => this.chosen.every((part, index) => numbers[index] === part));
  }

  // The numbers of the parts that can follow.
  next() {
    const at = this.chosen.length;
    return [...new Set(this.fitting().map(([, numbers]) => numbers[at]).filter((part) => part !== undefined))];
  }

  // Whether the chosen move is whole and nothing can follow.
  ended() {
    return this.whole() !== undefined && !this.next().length;
  }

  // Whether an action is done and the move needs another one.
  isBetween() {
    const next = this.next();
    return this.chosen.length > 0 && next.length > 0 && !this.whole() && next.every((part) => this.parts[part].text.startsWith(","));
  }

  // The numbers of the parts that can start a move.
  starts() {
    return [...new Set(this.ways.map(([, numbers]) => numbers[0]))];
  }

  // The parts that can follow at a place: several, if the place has several meanings.
  at(place) {
    return this.next().filter((part) => this.parts[part].place === place);
  }

  // The place of all parts that can follow, if there are several parts and one place; otherwise "".
  alone() {
    const next = this.next();
    const places = new Set(next.map((part) => this.parts[part].place));
    return next.length > 1 && places.size === 1 ? [...places][0] : "";
  }

  // The way that is complete with what was chosen; undefined if none is.
  whole() {
    return this.chosen.length ? this.fitting().find(([, numbers]) => numbers.length === this.chosen.length) : undefined;
  }

  // The move that is complete with what was chosen; null if none is.
  complete() {
    return this.whole()?.[0] ?? null;
  }

  // The only way to a place that does not follow directly; null if there is none or several.
  wayTo(place) {
    const ways = this.fitting().filter(([, numbers]) => this.parts[numbers.at(-1)].place === place);
    return ways.length === 1 ? ways[0] : null;
  }

  // The texts of the chosen parts.
  text() {
    return this.chosen.map((number) => this.parts[number].text).join("");
  }

  // The place that was chosen last; undefined if none was.
  last() {
    return this.chosen.map((number) => this.parts[number].place).filter((place) => place).at(-1);
  }

  // The chosen parts, in a list for each action of the move. A comma starts an action.
  actions() {
    const actions = [];
    for (const part of this.chosen.map((number) => this.parts[number])) {
      if (!actions.length || part.text.startsWith(",")) actions.push([]);
      actions.at(-1).push(part);
    }
    return actions;
  }

  // What the chosen parts do: the way of each piece and what it becomes, pieces that are put on places, tiles
  // that are taken, and what else then stands on the board.
  drawn() {
    const actions = this.actions();
    const puts = new Map();
    const taken = [];
    const moves = actions.map((parts) => {
      for (const part of parts) {
        if (part.piece) puts.set(part.place, part.piece);
        else if (takes(part)) taken.push(part.place);
      }
      const path = parts.filter((part) => part.place && !part.piece && !takes(part)).map((part) => part.place);
      return takes(parts[0]) ? path.reverse() : path; // then the piece is chosen last
    });
    const whole = this.whole();
    const ways = whole ? [whole] : this.fitting();
    // What all ways agree on may still come, unless a chosen sign says that it has happened.
    const signed = actions.map((parts) => Boolean(whole) || parts.some((part) => part.word && !part.piece));
    const becomes = moves.map((_, index) => (signed[index] ? agreed(ways.map((way) => way[2][index])) : undefined));
    return { moves, puts, taken, becomes, whole: Boolean(whole), stands: this.stands(ways) };
  }

  // What stands on places after all ways that do not go on with this place.
  stands(ways) {
    const stands = new Map();
    for (const place of new Set(ways.flatMap((way) => Object.keys(way[3])))) {
      const others = ways.filter(([, numbers]) => !numbers.slice(this.chosen.length).some((part) => this.parts[part].place === place));
      const key = agreed(others.map((way) => way[3][place]));
      if (key !== undefined) stands.set(place, key);
    }
    return stands;
  }

  // The ways of the pieces in a move, and the walls, tiles and other places in it; none if it is not offered.
  hinted(move) {
    const way = this.ways.find(([text]) => text === move);
    if (!way) return [];
    const { chosen } = this;
    this.chosen = way[1];
    const { moves, puts, taken } = this.drawn();
    this.chosen = chosen;
    return [...moves, ...[...puts.keys(), ...taken].map((place) => [place])];
  }

  // The piece that a part makes of the piece that moves, or puts on its place; undefined if it is as before.
  piece(part) {
    const { piece } = this.parts[part];
    if (piece) return piece;
    this.chosen.push(part);
    const key = this.whole()?.[2][this.actions().length - 1];
    this.chosen.pop();
    return key;
  }
}

// What all values are; undefined if they differ, or there are none.
function agreed(values) {
  return values.every((value) => value === values[0]) ? values[0] : undefined;
}
