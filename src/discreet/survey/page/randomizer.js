// The randomizer: what a scheme promises is checked here, and an answer becomes a report.
//
// Each kind of scheme is a file of its own in schemes/, and a page loads those that its questions
// need. Chances are integers N of 2^64, compared with uniform 64-bit integers of the browser's
// cryptographic generator, so the law of a report is exact; no float decides anything.

export const WHOLE = 1n << 64n;
export const MANY = 1000000n;
const LONGEST_TEXT = 1 << 20;
const LONGEST_BOUND = 120; // letters of a fraction
const MOST_EPSILON = 128n; // e^128 is above every ratio that chances of 2^64 can have

/** Why a scheme or an answer is not randomized. Nothing was sent. */
export class Refusal extends Error {}

export function insist(condition, why) {
  if (!condition) throw new Refusal(why);
}

// ------------------------------------------------------------------ reading a scheme

/** A JSON text that a collector wrote. */
export function readObject(text) {
  insist(typeof text === "string" && text.length <= LONGEST_TEXT, "The scheme is not a text.");
  let fields;
  try {
    fields = JSON.parse(text);
  } catch {
    throw new Refusal("The scheme is not JSON.");
  }
  insist(isObject(fields), "This is not a scheme.");
  return fields;
}

/** The scheme of these fields, by the kinds that were loaded; what is not understood is refused. */
export function readScheme(fields, kinds) {
  insist(isObject(fields) && fields.format === "discreet.local", "This is not a scheme.");
  insist(fields.version === 2, "The scheme is of a version that this page does not know.");
  const rules = typeof fields.scheme === "string" && has(kinds, fields.scheme) ? kinds[fields.scheme] : null;
  insist(rules !== null, "The scheme is of a kind that this page does not know.");
  const stated = has(fields, "odds") ? "odds" : "epsilon";
  const known = ["format", "version", "scheme", stated, ...Object.keys(rules.fields)].sort();
  const found = Object.keys(fields).sort();
  insist(
    known.length === found.length && known.every((name, at) => name === found[at]),
    "The scheme has fields that this page does not know, or lacks some.",
  );
  const scheme = { scheme: fields.scheme, rules, stated, names: null };
  scheme.bound = readBound(fields[stated]);
  for (const name of Object.keys(rules.fields)) scheme[name] = rules.fields[name](fields[name], scheme);
  rules.check(scheme);
  insist(keepsPromise(scheme), "The scheme protects less than it says.");
  return Object.freeze(scheme);
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function has(fields, name) {
  return Object.prototype.hasOwnProperty.call(fields, name);
}

/** A privacy that is stated: a number above 0. */
export function readBound(text) {
  const bound = readRational(text);
  insist(
    bound[0] > 0n && text.length <= LONGEST_BOUND,
    "The privacy that the scheme states is not a number above 0 that this page can check.",
  );
  return bound;
}

/** The number of answers; their names, if there are any, are noted in the scheme. */
export function readNames(categories, scheme) {
  if (Number.isSafeInteger(categories)) {
    insist(categories >= 2 && categories <= 2147483648, "The number of answers is out of range.");
    return BigInt(categories);
  }
  insist(Array.isArray(categories) && categories.length >= 2, "The scheme names no answers.");
  insist(
    categories.every((name) => typeof name === "string" && name !== "") &&
      new Set(categories).size === categories.length,
    "The names of the answers are not all different texts.",
  );
  scheme.names = Object.freeze([...categories]);
  return BigInt(categories.length);
}

export function oneOf(...kinds) {
  return (kind) => {
    insist(kinds.includes(kind), "The kind of the scheme is unknown.");
    return kind;
  };
}

/** A chance N of 2^64, with 0 and 2^64. */
export function readAnyChance(text) {
  insist(typeof text === "string" && /^(0|[1-9][0-9]{0,19})$/.test(text), "A chance is not a number.");
  const chance = BigInt(text);
  insist(chance <= WHOLE, "A chance is above 1.");
  return chance;
}

export function readChance(text) {
  const chance = readAnyChance(text);
  insist(chance > 0n && chance < WHOLE, "A chance is not between 0 and 1.");
  return chance;
}

export function readCountOrNone(number) {
  insist(Number.isSafeInteger(number) && number >= 0 && number <= 2 ** 33, "A number is no count.");
  return BigInt(number);
}

export function readCount(number) {
  insist(number !== 0, "A number is no count.");
  return readCountOrNone(number);
}

export function readRational(text) {
  insist(
    typeof text === "string" && /^(0|-?[1-9][0-9]{0,399})(\/[1-9][0-9]{0,399})?$/.test(text),
    "A number of the scheme is not an exact one.",
  );
  const [above, below = "1"] = text.split("/");
  return [BigInt(above), BigInt(below)];
}

// ------------------------------------------------------------------ what it promises

/** How many times as likely one answer may make a report as another: an exact fraction. */
export function worstRatio(scheme) {
  const ratios = scheme.rules.ratios(scheme).map(([a, b]) => (a < b ? [b, a] : [a, b]));
  return ratios.reduce((worst, one) => (one[0] * worst[1] > worst[0] * one[1] ? one : worst));
}

function keepsPromise(scheme) {
  const [above, below] = worstRatio(scheme);
  let [a, b] = scheme.bound;
  if (scheme.stated === "odds") return above * b <= below * a;
  if (a > MOST_EPSILON * b) [a, b] = [MOST_EPSILON, 1n];
  // The first terms of e^(a/b), all over b^n·n!, lie below e^(a/b) by far less than 2^-64.
  let sum = 1n;
  let term = 1n;
  let divisor = 1n;
  const last = 64n + (4n * a) / b;
  for (let n = 1n; n <= last; n += 1n) {
    term *= a;
    sum = sum * b * n + term;
    divisor *= b * n;
  }
  return above * divisor <= below * sum;
}

// ------------------------------------------------------------------ randomizing

/** A uniform integer from 0 to 2^64 - 1. */
function draw() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (BigInt(high) << 32n) | BigInt(low);
}

/** True with the chance N of 2^64. */
export function happens(chance) {
  return draw() < chance;
}

/** A uniform integer in [0, bound), by rejection. */
export function below(bound) {
  const limit = WHOLE - (WHOLE % bound);
  let drawn;
  do drawn = draw();
  while (drawn >= limit);
  return drawn % bound;
}

/** A report: for the answer at this place of the scheme's list, or for a number as a text. */
export function randomize(scheme, answer) {
  return scheme.rules.randomize(scheme, scheme.rules.code(scheme, answer));
}

/** The answer at this place of a scheme's list. */
export function codeOfAnswer({ categories }, answer) {
  insist(
    Number.isSafeInteger(answer) && answer >= 0 && BigInt(answer) < categories,
    "This is not one of the answers.",
  );
  return BigInt(answer);
}

/** From a place among the answers that are not given to its place among all. */
export function others(answer) {
  return (place) => (place < answer ? place : place + 1n);
}

export function parity(number) {
  let odd = 0;
  for (; number > 0n; number &= number - 1n) odd ^= 1;
  return odd;
}

export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A number that stops a repeat. */
export function newId() {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}

// ------------------------------------------------------------------ the hash of a scheme

// Of its own, since crypto.subtle is missing where a page is served without TLS.
const [START, ROUNDS] = (() => {
  const primes = [];
  for (let n = 2n; primes.length < 64; n += 1n) if (primes.every((p) => n % p)) primes.push(n);
  const root = (value, power) => {
    let low = 0n;
    let high = 1n << 48n;
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if (middle ** power <= value) low = middle;
      else high = middle;
    }
    return Number(low & 0xffffffffn);
  };
  return [
    primes.slice(0, 8).map((prime) => root(prime << 64n, 2n)),
    primes.map((prime) => root(prime << 96n, 3n)),
  ];
})();

/** SHA-256 of a text in UTF-8, in hexadecimal. */
export function sha256(text) {
  const data = new TextEncoder().encode(text);
  const padded = new Uint8Array((((data.length + 8) >> 6) + 1) << 6);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(data.length / 0x20000000));
  view.setUint32(padded.length - 4, data.length * 8);
  const state = Uint32Array.from(START);
  const words = new Uint32Array(64);
  const turn = (word, by) => (word >>> by) | (word << (32 - by));
  for (let block = 0; block < padded.length; block += 64) {
    for (let at = 0; at < 16; at += 1) words[at] = view.getUint32(block + 4 * at);
    for (let at = 16; at < 64; at += 1) {
      const [early, late] = [words[at - 15], words[at - 2]];
      const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
      const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
      words[at] = words[at - 16] + first + words[at - 7] + second;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let at = 0; at < 64; at += 1) {
      const mixed = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const one = (h + mixed + ((e & f) ^ (~e & g)) + ROUNDS[at] + words[at]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => (state[at] += word));
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}
