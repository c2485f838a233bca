// A row of marks: each answer is marked or not, the true one with another chance.

import { WHOLE, codeOfAnswer, happens, hex, oneOf, readChance, readNames } from "../randomizer.js";
import { listed, often } from "../texts.js";

export default {
  fields: { categories: readNames, kind: oneOf("optimised", "symmetric"), one: readChance, other: readChance },
  check() {},
  ratios: ({ one, other }) => [[one * (WHOLE - other), (WHOLE - one) * other]],
  code: codeOfAnswer,

  randomize({ one, other, categories }, answer) {
    const bytes = new Uint8Array(Number((categories + 7n) / 8n));
    for (let at = 0n; at < categories; at += 1n) {
      if (happens(at === answer ? one : other)) bytes[Number(at / 8n)] |= 128 >> Number(at % 8n);
    }
    return hex(bytes);
  },

  explained: ({ one, other }, say) => [
    say("unary", { one: often(say, one, WHOLE), other: often(say, other, WHOLE) }),
  ],
  end: "end.marks",

  said(scheme, report, say) {
    const marked = (at) => (parseInt(report.slice(2 * (at >> 3), 2 * (at >> 3) + 2), 16) << (at & 7)) & 128;
    return say("says.marks", { answers: listed(scheme, marked, say) });
  },
};
