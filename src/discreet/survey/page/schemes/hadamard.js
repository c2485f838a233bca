// A row of a public table splits the answers in two groups; one of the groups is named.

import {
  WHOLE,
  below,
  codeOfAnswer,
  happens,
  insist,
  parity,
  readChance,
  readCount,
  readNames,
} from "../randomizer.js";
import { listed, often } from "../texts.js";

export default {
  fields: { categories: readNames, rows: readCount, keep: readChance },
  check({ rows, categories }) {
    insist((rows & (rows - 1n)) === 0n && rows > categories, "The rows are not a power of two.");
  },
  ratios: ({ keep }) => [[keep, WHOLE - keep]],
  code: codeOfAnswer,

  randomize({ keep, rows }, answer) {
    const row = below(rows);
    const bit = parity(row & (answer + 1n));
    return [Number(row), happens(keep) ? bit : 1 - bit];
  },

  explained: ({ keep }, say) => [say("hadamard", { keep: often(say, keep, WHOLE) })],
  end: "end.group",

  said(scheme, [row, bit], say) {
    const grouped = (at) => parity(BigInt(row) & BigInt(at + 1)) === bit;
    return say("says.group", { answers: listed(scheme, grouped, say) });
  },
};
