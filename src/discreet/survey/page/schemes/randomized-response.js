// One answer is reported: the true one with a chance, else any of the others.

import { WHOLE, below, codeOfAnswer, happens, others, readChance, readNames } from "../randomizer.js";
import { named, often } from "../texts.js";

export default {
  fields: { categories: readNames, keep: readChance },
  check() {},
  ratios: ({ keep, categories }) => [[keep * (categories - 1n), WHOLE - keep]],
  code: codeOfAnswer,

  randomize({ keep, categories }, answer) {
    if (happens(keep)) return Number(answer);
    return Number(others(answer)(below(categories - 1n)));
  },

  explained({ keep, categories }, say) {
    const name = categories === 2n ? "rr.two" : "rr.many";
    return [
      say(name, { keep: often(say, keep, WHOLE) }),
      say("rr.mirror", { lie: often(say, WHOLE - keep, WHOLE * (categories - 1n)) }),
    ];
  },
  end: "end.one",

  said: (scheme, report, say) => say("says.one", { answer: named(scheme, report, say) }),
};
