// A list of so many answers: the true one is among them with a chance, else others fill it.

import {
  WHOLE,
  below,
  codeOfAnswer,
  happens,
  insist,
  others,
  readChance,
  readCount,
  readNames,
} from "../randomizer.js";
import { listed, often } from "../texts.js";

/** So many different uniform integers in [0, bound). */
function distinct(count, bound) {
  const moved = new Map(); // a shuffle of 0, 1, …, of which only the changed places are kept
  const drawn = [];
  for (let at = 0n; at < count; at += 1n) {
    const place = at + below(bound - at);
    drawn.push(moved.get(place) ?? place);
    moved.set(place, moved.get(at) ?? at);
  }
  return drawn;
}

export default {
  fields: { categories: readNames, size: readCount, keep: readChance },
  check({ size, categories }) {
    insist(size < categories, "The subset is not smaller than all answers.");
  },
  ratios: ({ keep, size, categories }) => [[keep * (categories - size), (WHOLE - keep) * size]],
  code: codeOfAnswer,

  randomize({ keep, size, categories }, answer) {
    const kept = happens(keep);
    const drawn = distinct(kept ? size - 1n : size, categories - 1n).map(others(answer));
    if (kept) drawn.push(answer);
    return drawn.map(Number).sort((left, right) => left - right);
  },

  explained: ({ keep, size, categories }, say) => [
    say("subset", { size, all: categories, keep: often(say, keep, WHOLE) }),
  ],
  end: "end.list",

  said: (scheme, report, say) =>
    say("says.list", { answers: listed(scheme, (at) => report.includes(at), say) }),
};
