// A number between bounds: a stretch that mostly holds it is named, or one of two words is said.

import {
  WHOLE,
  below,
  happens,
  insist,
  oneOf,
  readAnyChance,
  readCount,
  readCountOrNone,
  readRational,
} from "../randomizer.js";
import { often } from "../texts.js";

/** The position on the scheme's scale that is nearest to a number; what is beyond is an end. */
export function positionOf({ low, high, steps }, text) {
  const number = readDecimal(text);
  insist(number !== null, "This is not a number.");
  // (number - low) / (high - low), over one denominator
  const share = (number[0] * low[1] - low[0] * number[1]) * high[1];
  const whole = (high[0] * low[1] - low[0] * high[1]) * number[1];
  if (share <= 0n) return 0n;
  if (share >= whole) return steps;
  return (2n * share * steps + whole) / (2n * whole);
}

/** A decimal number as an exact fraction, or null. */
export function readDecimal(text) {
  const parts = /^([+-]?)([0-9]{0,40})(?:\.([0-9]{0,40}))?(?:[eE]([+-]?[0-9]{1,3}))?$/.exec(text);
  if (parts === null || !(parts[2] || parts[3])) return null;
  const [, sign, whole, fraction = "", exponent = "0"] = parts;
  const above = BigInt(`${sign === "-" ? "-" : ""}${whole}${fraction}`);
  const tens = Number(exponent) - fraction.length;
  return tens < 0 ? [above, 10n ** BigInt(-tens)] : [above * 10n ** BigInt(tens), 1n];
}

/** On which side of the bounds a number lies: -1, 0 or 1. */
function beyond({ low, high }, text) {
  const [above, below] = readDecimal(text);
  if (above * low[1] < low[0] * below) return -1;
  return above * high[1] > high[0] * below ? 1 : 0;
}

/** A report on a number in words: a stretch of positions, or one of two words. */
function numberInWords({ low, high, steps, window, cells }, report, say) {
  if (report >= cells) return say("says.word", { word: say(report > cells ? "word.high" : "word.low") });
  const first = report < window ? 0n : report - window + 1n;
  const last = report < steps ? report : steps;
  const width = toNumber(high[0] * low[1] - low[0] * high[1], low[1] * high[1]);
  const number = (position) => {
    // low + (high - low)·position/steps, over one denominator
    const above = low[0] * high[1] * (steps - position) + high[0] * low[1] * position;
    return rounded(above, low[1] * high[1] * steps, width);
  };
  return say("says.stretch", { first: number(first), last: number(last) });
}

/** A fraction as a respondent reads it: to about a thousandth of the width of the scale. */
function rounded(above, below, width) {
  const places = Math.min(20, Math.max(0, 3 - Math.floor(Math.log10(width))));
  if (width > 1e15) return toNumber(above, below).toPrecision(4);
  const size = above < 0n ? -above : above;
  const scaled = (size * 10n ** BigInt(places) * 2n + below) / (2n * below);
  return decimalText(above < 0n ? -scaled : scaled, places);
}

/** An integer with its point moved, without zeros at the end. */
function decimalText(scaled, places) {
  const sign = scaled < 0n ? "−" : "";
  const text = String(scaled < 0n ? -scaled : scaled).padStart(places + 1, "0");
  const [whole, rest] = [text.slice(0, text.length - places), text.slice(text.length - places)];
  const kept = rest.replace(/0+$/, "");
  return `${sign}${whole}${kept && `.${kept}`}`;
}

function toNumber(above, below) {
  const shift = BigInt(Math.max(0, 80 - String(above).length + String(below).length));
  return Number((above * 10n ** shift) / below) / 10 ** Number(shift);
}

/** A bound exactly: as a decimal where it has an end, else as a fraction. */
function exactly([above, below]) {
  for (let places = 0; places <= 30; places += 1) {
    const scaled = above * 10n ** BigInt(places);
    if (scaled % below === 0n) {
      const text = decimalText(scaled / below, places);
      return text.length <= 40 ? text : String(toNumber(above, below));
    }
  }
  return `${above}/${below}`.replace("-", "−");
}

/** The bounds of a question for a number, as a respondent reads them. */
export function bounds({ low, high }) {
  return [exactly(low), exactly(high)];
}

export default {
  fields: {
    low: readRational,
    high: readRational,
    kind: oneOf("duchi", "piecewise", "hybrid"),
    steps: readCount,
    mix: readAnyChance,
    bit: readAnyChance,
    keep: readAnyChance,
    window: readCountOrNone,
    cells: readCountOrNone,
  },
  check({ low, high, steps, mix, bit, keep, window, cells }) {
    insist(low[0] * high[1] < high[0] * low[1], "The least number is not below the largest.");
    const byCell = window >= 1n && cells === steps + window && keep > 0n && keep < WHOLE;
    const noCell = window === 0n && cells === 0n && keep === 0n;
    insist(mix === 0n ? noCell : byCell, "The stretches of the scheme do not fit together.");
    const byBit = bit > 0n && bit < WHOLE;
    insist(mix === WHOLE ? bit === 0n : byBit, "The bits of the scheme do not fit together.");
  },
  ratios: ({ mix, bit, keep, steps, window }) => [
    ...(mix > 0n ? [[keep * steps, (WHOLE - keep) * window]] : []),
    ...(mix < WHOLE ? [[bit, WHOLE - bit]] : []),
  ],
  code: positionOf,
  decimal: readDecimal,
  bounds,
  beyond,

  randomize({ steps, mix, bit, keep, window, cells }, position) {
    if (mix === WHOLE || (mix > 0n && happens(mix))) {
      if (happens(keep)) return Number(position + below(window));
      const far = below(steps);
      return Number(far < position ? far : far + window);
    }
    const end = below(steps) < position;
    return Number(cells) + (end === happens(bit) ? 1 : 0);
  },

  explained({ mix, bit, keep }, say) {
    const stretch = say("mean.stretch", { keep: often(say, keep, WHOLE) });
    const word = say("mean.word", {
      most: often(say, bit, WHOLE),
      least: often(say, WHOLE - bit, WHOLE),
      low: say("word.low"),
      high: say("word.high"),
    });
    if (mix === WHOLE) return [say("mean"), stretch];
    if (mix === 0n) return [say("mean"), word];
    return [say("mean.two", { mix: often(say, mix, WHOLE) }), stretch, say("mean.otherwise"), word];
  },
  end: "end.number",

  said: (scheme, report, say) => numberInWords(scheme, BigInt(report), say),
};
