// Everything that touches an answer: the randomizer, and the page around it.
//
// The answer is read from the page, randomized here, and forgotten. Only the report leaves the
// page. Chances are integers N of 2^64, compared with uniform 64-bit integers of the browser's
// cryptographic generator, so the law of a report is exact; no float decides anything.

const WHOLE = 1n << 64n;
const LONGEST_TEXT = 1 << 20;
const MANY = 1000000n;
const MOST_VECTORS = 1n << 24n;
const LONGEST_BOUND = 120; // letters of a fraction
const MOST_EPSILON = 128n; // e^128 is above every ratio that chances of 2^64 can have

const CATEGORICAL = { categories: readNames };
const FIELDS = {
  "randomized-response": { ...CATEGORICAL, keep: readChance },
  unary: { ...CATEGORICAL, kind: oneOf("optimised", "symmetric"), one: readChance, other: readChance },
  subset: { ...CATEGORICAL, size: readCount, keep: readChance },
  hadamard: { ...CATEGORICAL, rows: readCount, keep: readChance },
  projective: { ...CATEGORICAL, prime: readCount, dimension: readCount, keep: readChance },
  mean: {
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
};

/** Why a scheme or an answer is not randomized. Nothing was sent. */
export class Refusal extends Error {}

function insist(condition, why) {
  if (!condition) throw new Refusal(why);
}

// ------------------------------------------------------------------ reading a scheme

/** The scheme that a collector wrote as JSON; whatever is not understood is refused. */
export function readScheme(text) {
  insist(typeof text === "string" && text.length <= LONGEST_TEXT, "The scheme is not a text.");
  let fields;
  try {
    fields = JSON.parse(text);
  } catch {
    throw new Refusal("The scheme is not JSON.");
  }
  insist(isObject(fields) && fields.format === "discreet.local", "This is not a scheme.");
  insist(fields.version === 2, "The scheme is of a version that this page does not know.");
  const own = Object.hasOwn(FIELDS, fields.scheme) ? FIELDS[fields.scheme] : null;
  insist(own !== null, "The scheme is of a kind that this page does not know.");
  const stated = Object.hasOwn(fields, "odds") ? "odds" : "epsilon";
  const known = ["format", "version", "scheme", stated, ...Object.keys(own)].sort();
  const found = Object.keys(fields).sort();
  insist(
    known.length === found.length && known.every((name, at) => name === found[at]),
    "The scheme has fields that this page does not know, or lacks some.",
  );
  const scheme = { scheme: fields.scheme, hash: sha256(text), stated, names: null };
  scheme.bound = readRational(fields[stated]);
  insist(
    scheme.bound[0] > 0n && fields[stated].length <= LONGEST_BOUND,
    "The privacy that the scheme states is not a number above 0 that this page can check.",
  );
  for (const name of Object.keys(own)) scheme[name] = own[name](fields[name], scheme);
  CHECKS[fields.scheme]?.(scheme);
  insist(keepsPromise(scheme), "The scheme protects less than it says.");
  return Object.freeze(scheme);
}

/** What the fields of a scheme have to do with each other. */
const CHECKS = {
  subset({ size, categories }) {
    insist(size < categories, "The subset is not smaller than all answers.");
  },
  hadamard({ rows, categories }) {
    insist((rows & (rows - 1n)) === 0n && rows > categories, "The rows are not a power of two.");
  },
  projective(scheme) {
    const { prime, dimension, categories } = scheme;
    insist(
      isPrime(prime) && dimension >= 2n && dimension <= 24n && prime ** dimension <= MOST_VECTORS,
      "This is not a space of points.",
    );
    scheme.points = points(prime, dimension);
    scheme.hyperplane = points(prime, dimension - 1n);
    insist(scheme.points >= categories, "There are fewer points than answers.");
  },
  mean({ low, high, steps, mix, bit, keep, window, cells }) {
    insist(low[0] * high[1] < high[0] * low[1], "The least number is not below the largest.");
    const byCell = window >= 1n && cells === steps + window && keep > 0n && keep < WHOLE;
    const noCell = window === 0n && cells === 0n && keep === 0n;
    insist(mix === 0n ? noCell : byCell, "The stretches of the scheme do not fit together.");
    const byBit = bit > 0n && bit < WHOLE;
    insist(mix === WHOLE ? bit === 0n : byBit, "The bits of the scheme do not fit together.");
  },
};

function isPrime(number) {
  if (number < 2n || number > 1n << 24n) return false;
  for (let at = 2n; at * at <= number; at += 1n) if (number % at === 0n) return false;
  return true;
}

/** How many points a projective space of this dimension has. */
function points(prime, dimension) {
  return (prime ** dimension - 1n) / (prime - 1n);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The number of answers; their names, if there are any, are noted in the scheme. */
function readNames(categories, scheme) {
  if (Number.isSafeInteger(categories)) {
    insist(categories >= 2 && categories <= 2 ** 31, "The number of answers is out of range.");
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

function oneOf(...kinds) {
  return (kind) => {
    insist(kinds.includes(kind), "The kind of the scheme is unknown.");
    return kind;
  };
}

/** A chance N of 2^64, with 0 and 2^64. */
function readAnyChance(text) {
  insist(typeof text === "string" && /^(0|[1-9][0-9]{0,19})$/.test(text), "A chance is not a number.");
  const chance = BigInt(text);
  insist(chance <= WHOLE, "A chance is above 1.");
  return chance;
}

function readChance(text) {
  const chance = readAnyChance(text);
  insist(chance > 0n && chance < WHOLE, "A chance is not between 0 and 1.");
  return chance;
}

function readCountOrNone(number) {
  insist(Number.isSafeInteger(number) && number >= 0 && number <= 2 ** 33, "A number is no count.");
  return BigInt(number);
}

function readCount(number) {
  insist(number !== 0, "A number is no count.");
  return readCountOrNone(number);
}

function readRational(text) {
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
  const ratios = RATIOS[scheme.scheme](scheme).map(([a, b]) => (a < b ? [b, a] : [a, b]));
  return ratios.reduce((worst, one) => (one[0] * worst[1] > worst[0] * one[1] ? one : worst));
}

const RATIOS = {
  "randomized-response": ({ keep, categories }) => [[keep * (categories - 1n), WHOLE - keep]],
  unary: ({ one, other }) => [[one * (WHOLE - other), (WHOLE - one) * other]],
  subset: ({ keep, size, categories }) => [[keep * (categories - size), (WHOLE - keep) * size]],
  hadamard: ({ keep }) => [[keep, WHOLE - keep]],
  projective: ({ keep, points, hyperplane }) => [
    [keep * (points - hyperplane), (WHOLE - keep) * hyperplane],
  ],
  mean: ({ mix, bit, keep, steps, window }) => [
    ...(mix > 0n ? [[keep * steps, (WHOLE - keep) * window]] : []),
    ...(mix < WHOLE ? [[bit, WHOLE - bit]] : []),
  ],
};

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
  return crypto.getRandomValues(new BigUint64Array(1))[0];
}

/** True with the chance N of 2^64. */
function happens(chance) {
  return draw() < chance;
}

/** A uniform integer in [0, bound), by rejection. */
function below(bound) {
  const limit = WHOLE - (WHOLE % bound);
  let drawn;
  do drawn = draw();
  while (drawn >= limit);
  return drawn % bound;
}

const RANDOMIZERS = {
  "randomized-response"({ keep, categories }, answer) {
    if (happens(keep)) return Number(answer);
    return Number(others(answer)(below(categories - 1n)));
  },

  unary({ one, other, categories }, answer) {
    const bytes = new Uint8Array(Number((categories + 7n) / 8n));
    for (let at = 0n; at < categories; at += 1n) {
      if (happens(at === answer ? one : other)) bytes[Number(at / 8n)] |= 128 >> Number(at % 8n);
    }
    return hex(bytes);
  },

  subset({ keep, size, categories }, answer) {
    const kept = happens(keep);
    const drawn = distinct(kept ? size - 1n : size, categories - 1n).map(others(answer));
    if (kept) drawn.push(answer);
    return drawn.map(Number).sort((left, right) => left - right);
  },

  hadamard({ keep, rows }, answer) {
    const row = below(rows);
    const bit = parity(row & (answer + 1n));
    return [Number(row), happens(keep) ? bit : 1 - bit];
  },

  // Every point that is orthogonal to the answer's has as many vectors other than 0 whose inner
  // product with it is 0, every other point has one whose product is 1. All digits but one are
  // drawn, and the one where the answer's vector has its first 1 is solved for.
  projective({ keep, prime, dimension }, answer) {
    const kept = happens(keep);
    const others = prime ** (dimension - 1n);
    const drawn = kept ? 1n + below(others - 1n) : below(others);
    const own = vector(prime, dimension, answer);
    const pivot = own.findIndex((digit) => digit !== 0n);
    const found = digits(prime, dimension - 1n, drawn);
    found.splice(pivot, 0, 0n);
    const inner = found.reduce((sum, digit, at) => sum + digit * own[at], 0n);
    found[pivot] = modulo((kept ? 0n : 1n) - inner, prime);
    return Number(pointOf(prime, found));
  },

  mean({ steps, mix, bit, keep, window, cells }, position) {
    if (mix === WHOLE || (mix > 0n && happens(mix))) {
      if (happens(keep)) return Number(position + below(window));
      const far = below(steps);
      return Number(far < position ? far : far + window);
    }
    const end = below(steps) < position;
    return Number(cells) + (end === happens(bit) ? 1 : 0);
  },
};

/** A report: for the answer at this place of the scheme's list, or for a number as a text. */
export function randomize(scheme, answer) {
  if (scheme.scheme === "mean") return RANDOMIZERS.mean(scheme, positionOf(scheme, answer));
  insist(
    Number.isSafeInteger(answer) && answer >= 0 && BigInt(answer) < scheme.categories,
    "This is not one of the answers.",
  );
  return RANDOMIZERS[scheme.scheme](scheme, BigInt(answer));
}

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
function readDecimal(text) {
  const parts = /^([+-]?)([0-9]{0,40})(?:\.([0-9]{0,40}))?(?:[eE]([+-]?[0-9]{1,3}))?$/.exec(text);
  if (parts === null || !(parts[2] || parts[3])) return null;
  const [, sign, whole, fraction = "", exponent = "0"] = parts;
  const above = BigInt(`${sign === "-" ? "-" : ""}${whole}${fraction}`);
  const tens = Number(exponent) - fraction.length;
  return tens < 0 ? [above, 10n ** BigInt(-tens)] : [above * 10n ** BigInt(tens), 1n];
}

/** From a place among the answers that are not given to its place among all. */
function others(answer) {
  return (place) => (place < answer ? place : place + 1n);
}

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

/** The last digits of a number, the most significant first. */
function digits(prime, count, number) {
  const found = [];
  for (let at = 0n; at < count; at += 1n, number /= prime) found.unshift(number % prime);
  return found;
}

/** The vector of a point. Its first digit other than 0 is 1; points are in the order of the
 * numbers whose digits these are. */
function vector(prime, dimension, point) {
  let power = 1n; // of the numbers that begin with 1 at this digit, there are as many
  for (; point >= power; power *= prime) point -= power;
  return digits(prime, dimension, power + point);
}

/** The point on which a vector other than 0 lies. */
function pointOf(prime, vector) {
  const place = vector.findIndex((digit) => digit !== 0n);
  const factor = inverse(vector[place], prime);
  const number = vector.reduce((sum, digit) => sum * prime + ((digit * factor) % prime), 0n);
  const power = prime ** BigInt(vector.length - 1 - place);
  return number - power + (power - 1n) / (prime - 1n);
}

function modulo(number, prime) {
  return ((number % prime) + prime) % prime;
}

/** By Fermat: digit^(prime - 2). */
function inverse(digit, prime) {
  let found = 1n;
  for (let left = prime - 2n, power = digit; left > 0n; left >>= 1n, power = (power * power) % prime) {
    if (left & 1n) found = (found * power) % prime;
  }
  return found;
}

function parity(number) {
  let odd = 0;
  for (; number > 0n; number &= number - 1n) odd ^= 1;
  return odd;
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What is sent for a report: the hashes of the scheme and of the question, the report, and a number
 * that stops a repeat. */
export function envelope(scheme, question, report, token) {
  const sealed = { scheme: scheme.hash, question: sha256(question), report, id: newId() };
  return token ? { ...sealed, token } : sealed;
}

function newId() {
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
  view.setBigUint64(padded.length - 8, BigInt(data.length) * 8n);
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

// ------------------------------------------------------------------ in plain words

/** A fraction as a percentage with one decimal; what is not certain is never shown as certain. */
export function percent(above, below) {
  if (above > 0n && 2000n * above < below) return "less than 0.1%";
  if (above < below && 2000n * (below - above) < below) return "more than 99.9%";
  const tenths = (above * 2000n + below) / (2n * below);
  return `${tenths / 10n}${tenths % 10n ? `.${tenths % 10n}` : ""}%`;
}

/** A fraction with two decimals, rounded up. */
export function decimal(above, below) {
  if (above > MANY * below) return "a million";
  const hundredths = (above * 100n + below - 1n) / below;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")}`;
}

/** What a report says about the one who sent it: sentences with the scheme's own numbers. */
export function explanation(scheme) {
  const of = (chance) => percent(chance, WHOLE);
  const said = {
    "randomized-response": ({ keep, categories }) => [
      `Your browser rolls dice first. With a chance of ${of(keep)} it reports your answer; ` +
        `otherwise it reports ${categories === 2n ? "the other one" : "one of the others"}.`,
      "Someone whose answer is another one reports yours in " +
        `${percent(WHOLE - keep, WHOLE * (categories - 1n))} of all cases.`,
      "So a report is no proof of what the person who sent it answered.",
    ],
    unary: ({ one, other }) => [
      "Your report is a row of marks, one for each possible answer, and every mark is made by " +
        `dice: your own answer is marked with a chance of ${of(one)}, every other answer with a ` +
        `chance of ${of(other)}.`,
      "So a mark does not mean that the answer is yours, and no mark does not mean that it is not.",
    ],
    subset: ({ keep, size, categories }) => [
      `Your report is a list of ${size} of the ${categories} answers, drawn by dice. Yours is ` +
        `among them with a chance of ${of(keep)}.`,
      "So an answer on the list need not be yours, and an answer that is not on it may be.",
    ],
    hadamard: ({ keep }) => [
      "Your browser draws a row of a public table at random. The row splits the answers in two " +
        `groups, and your report names the group that yours is in with a chance of ${of(keep)}, ` +
        "and otherwise the other group.",
      "So a report does not say what your answer is, nor for certain what it is not.",
    ],
    projective: ({ keep, points }) => [
      `Your report is the number of one of ${points} public lists of answers, drawn by dice. ` +
        `Yours is on the list with a chance of ${of(keep)}.`,
      "So an answer on the list need not be yours, and an answer that is not on it may be.",
    ],
    mean: ({ mix, bit, keep }) => {
      const stretch =
        "It names a stretch of numbers, drawn by dice: one that holds yours with a chance of " +
        `${of(keep)}, and otherwise one that does not.`;
      const word =
        "It is one of two words, “high” or “low”, drawn by dice: “high” the more likely the " +
        `larger your number is, but with a chance of no more than ${of(bit)} and no less than ` +
        `${of(WHOLE - bit)}.`;
      const end = "So a report does not say what your number is, nor for certain what it is not.";
      if (mix === WHOLE) return [`Your browser makes a report. ${stretch}`, end];
      if (mix === 0n) return [`Your browser makes a report. ${word}`, end];
      return [
        `Your browser makes a report of one of two forms. With a chance of ${of(mix)}: ${lower(stretch)}`,
        `Otherwise: ${lower(word)}`,
        end,
      ];
    },
  };
  const sentences = said[scheme.scheme](scheme);
  const worst = worstRatio(scheme);
  const times = `${worst[0] > MANY * worst[1] ? "over" : "up to"} ${decimal(...worst)} times`;
  if (isWeak(scheme)) {
    return [
      ...sentences.slice(0, -1),
      `That protects you little: a report is ${times} as likely for one answer as for another, so ` +
        "whoever sees yours learns a great deal about your answer. Answer only if it may be known.",
    ];
  }
  return [
    ...sentences,
    `Put exactly: no report is more than ${decimal(...worst)} times as likely for ` +
      `one answer as for any other. The collector learns ${
        scheme.scheme === "mean" ? "the mean of all numbers" : "how many people gave each answer"
      }, roughly, and not who gave what.`,
  ];
}

/** Whether a report gives an answer away almost for certain: from about ε = 3 on. */
export function isWeak(scheme) {
  const [above, below] = worstRatio(scheme);
  return above >= 20n * below;
}

function lower(sentence) {
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}

/** A report in words: the answers that it names. */
export function reportInWords(scheme, report) {
  const name = (at) => (scheme.names ? `“${scheme.names[at]}”` : `answer ${at + 1}`);
  const count = Number(scheme.categories);
  const listed = (test) => {
    const found = Array.from({ length: count }, (_, at) => at).filter(test);
    if (!found.length) return "no answer";
    return found.length > 20 ? `${found.length} of ${count} answers` : found.map(name).join(", ");
  };
  if (scheme.scheme === "randomized-response") return `The report says: ${name(report)}.`;
  if (scheme.scheme === "unary") {
    const marked = (at) => (parseInt(report.slice(2 * (at >> 3), 2 * (at >> 3) + 2), 16) << (at & 7)) & 128;
    return `The report marks: ${listed(marked)}.`;
  }
  if (scheme.scheme === "subset") return `The report lists: ${listed((at) => report.includes(at))}.`;
  if (scheme.scheme === "mean") return numberInWords(scheme, BigInt(report));
  if (scheme.scheme === "projective") {
    const { prime, dimension } = scheme;
    const own = vector(prime, dimension, BigInt(report));
    const orthogonal = (at) =>
      vector(prime, dimension, BigInt(at)).reduce((sum, digit, n) => sum + digit * own[n], 0n) %
        prime ===
      0n;
    return `The report lists: ${listed(orthogonal)}.`;
  }
  const [row, bit] = report;
  const grouped = (at) => parity(BigInt(row) & BigInt(at + 1)) === bit;
  return `The report names the group: ${listed(grouped)}.`;
}

/** A report on a number in words: a stretch of positions, or one of two words. */
function numberInWords({ low, high, steps, window, cells }, report) {
  if (report >= cells) return `The report says: “${report > cells ? "high" : "low"}”.`;
  const first = report < window ? 0n : report - window + 1n;
  const last = report < steps ? report : steps;
  const width = toNumber(high[0] * low[1] - low[0] * high[1], low[1] * high[1]);
  const number = (position) => {
    // low + (high - low)·position/steps, over one denominator
    const above = low[0] * high[1] * (steps - position) + high[0] * low[1] * position;
    return rounded(above, low[1] * high[1] * steps, width);
  };
  return `The report names the stretch from ${number(first)} to ${number(last)}.`;
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

// ------------------------------------------------------------------ the page

const FEW = 12; // up to so many answers are buttons, more are a list
const MOST_SHOWN = 10000n;
const MISSING = "Please choose an answer first.";

const at = (id) => document.getElementById(id);

function make(tag, attributes = {}, text = "") {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

/** The answers as radio buttons. They have no name, so that no form could ever send them. */
function radioButtons(names) {
  const group = make("div", { role: "radiogroup", "aria-labelledby": "question" });
  const buttons = names.map((name, place) => {
    const button = make("input", {
      type: "radio",
      id: `answer-${place}`,
      autocomplete: "off",
      tabindex: place ? "-1" : "0",
      "aria-posinset": String(place + 1),
      "aria-setsize": String(names.length),
    });
    const label = make("label", { for: button.id });
    label.append(button, make("span", {}, name));
    group.append(label);
    return button;
  });
  const choose = (chosen) => {
    for (const button of buttons) {
      button.checked = button === chosen;
      button.tabIndex = button === (chosen ?? buttons[0]) ? 0 : -1;
    }
  };
  group.addEventListener("change", (event) => choose(event.target));
  group.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const place = buttons.indexOf(event.target);
    if (step === undefined || place < 0) return;
    event.preventDefault();
    const next = buttons[(place + step + buttons.length) % buttons.length];
    choose(next);
    next.focus();
  });
  const chosen = () => {
    const place = buttons.findIndex((button) => button.checked);
    return place < 0 ? null : place;
  };
  return { element: group, missing: MISSING, chosen, clear: () => choose(null), first: buttons[0] };
}

/** The answers as a list to choose from, where buttons would fill the page. */
function choiceList(names) {
  const list = make("select", { "aria-labelledby": "question", autocomplete: "off" });
  list.append(make("option", { value: "" }, "Choose an answer"));
  names.forEach((name, place) => list.append(make("option", { value: String(place) }, name)));
  return {
    element: list,
    missing: MISSING,
    chosen: () => (list.value === "" ? null : Number(list.value)),
    clear: () => (list.value = ""),
    first: list,
  };
}

/** A number to be typed in. */
function numberField(scheme) {
  const [low, high] = bounds(scheme);
  const field = make("input", {
    type: "number",
    step: "any",
    id: "number",
    autocomplete: "off",
    "aria-labelledby": "question",
    "aria-describedby": "range",
  });
  const hint = make(
    "p",
    { id: "range", class: "quiet" },
    `A number from ${low} to ${high}. What lies beyond counts as the nearer of the two.`,
  );
  const group = make("div");
  group.append(field, hint);
  return {
    element: group,
    missing: "Please enter a number first.",
    chosen: () => (readDecimal(field.value) === null ? null : field.value),
    clear: () => (field.value = ""),
    first: field,
  };
}

async function fetched(address) {
  const response = await fetch(address, { cache: "no-store", credentials: "omit" });
  if (!response.ok) throw new Refusal("The collector does not answer. Please try again later.");
  return response.text();
}

const PATIENCE = 40000; // milliseconds for the collector
const UNKNOWN =
  "Whether the report arrived is not known. Send the same report again: it counts once. Do not " +
  "answer anew.";

/** What a respondent is told, by the collector's reason. */
const TOLD = {
  "token-missing": "This survey is for those who have a token. Enter yours, and send the same report again.",
  "token-unknown": "The token is not known. Enter it as it was given to you, and send the same report again.",
  "token-used": "The token was used before, and is for one report. With another token, send the same report again.",
  "id-taken": "The report was not counted. Send the same report again.",
  "wrong-scheme": "The survey was changed after this page was loaded. The report was not counted.",
  "too-slow": "The connection is slow, and the report was not counted. Send the same report again.",
  "too-many": "Too many reports came from your address. Wait a moment, and send the same report again.",
  oversize: "The report is too long for the collector, and was not counted.",
  "not-json": "The collector does not understand the report, and did not count it.",
  malformed: "The collector does not understand the report, and did not count it.",
  closed: "The survey was closed. The report was not counted.",
};

const FINAL = ["closed", "wrong-scheme", "malformed", "oversize", "not-json"];

/** Send a report: the collector's reason if it did not take it. */
async function send(sealed) {
  let response;
  try {
    response = await fetch("reports", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(sealed),
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(PATIENCE),
    });
  } catch {
    return "no-connection";
  }
  if (response.status === 201) return "";
  const said = await response.json().catch(() => null);
  return typeof said?.error === "string" && said.error ? said.error : "unknown";
}

/** The token of a link. It is taken out of the address at once; the browser's history keeps the
 * link that was followed. */
function tokenOfAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
  if (token) history.replaceState(null, "", location.pathname);
  return token;
}

/** A token without the spaces and dashes of how it was written. */
function plainToken(text) {
  return text.toLowerCase().replace(/[^0-9a-z]/g, "");
}

function show(id, visible = true) {
  at(id).hidden = !visible;
}

function answersOf(scheme) {
  if (scheme.scheme === "mean") return numberField(scheme);
  insist(scheme.categories <= MOST_SHOWN, "There are more answers than a page can show.");
  const names = scheme.names ?? Array.from({ length: Number(scheme.categories) }, (_, n) => String(n));
  return names.length <= FEW ? radioButtons(names) : choiceList(names);
}

async function start() {
  const linked = tokenOfAddress();
  const [poll, scheme] = [JSON.parse(await fetched("api/poll")), readScheme(await fetched("scheme.json"))];
  const admitted = poll.tokens === "one-time"; // otherwise nobody is told apart by a token
  at("question").textContent = poll.question;
  const answers = answersOf(scheme);
  at("answers").append(answers.element);
  if (isWeak(scheme)) at("why-heading").textContent = "What a report reveals";
  for (const sentence of explanation(scheme)) at("explanation").append(make("p", {}, sentence));
  at("token").value = admitted ? linked : "";
  show("token-row", admitted);
  at("all").textContent = admitted
    ? "This is all: your token, no name and no time."
    : "This is all: no name and no time.";
  show("why");
  if (poll.closed) {
    at("status").textContent = "This survey is closed. No more reports are taken.";
    return;
  }
  show("survey");

  const told = (text) => (at("status").textContent = text);
  let sealed = null;
  let reason = "";
  let pending = false; // the report is on its way, or may not have arrived
  addEventListener("beforeunload", (event) => pending && event.preventDefault());
  const deliver = async () => {
    pending = true;
    show("results-link", false);
    at("send").disabled = at("again").disabled = true;
    at("raw").textContent = JSON.stringify(sealed, null, 1);
    told("Sending the report…");
    reason = await send(sealed);
    at("send").disabled = at("again").disabled = false;
    const final = FINAL.includes(reason);
    pending = reason !== "" && !final;
    show("results-link", !pending);
    show("again", pending);
    show("other-token-row", reason.startsWith("token-"));
    show("next", reason === "");
    told(reason === "" ? "The report was sent. Thank you." : Object.hasOwn(TOLD, reason) ? TOLD[reason] : UNKNOWN);
    at("sent-heading").textContent = reason === "" ? "What was sent" : "The report";
    at("sent-heading").focus();
  };
  at("send").addEventListener("click", async () => {
    const answer = answers.chosen();
    if (answer === null) {
      told(answers.missing);
      answers.first.focus();
      return;
    }
    const token = plainToken(at("token").value);
    if (admitted && !token) {
      told("Please enter your token first.");
      at("token").focus();
      return;
    }
    const report = randomize(scheme, answer);
    answers.clear(); // from here on only the report is known
    sealed = envelope(scheme, poll.question, report, admitted ? token : "");
    at("other-token").value = at("token").value;
    at("words").textContent = reportInWords(scheme, report);
    show("survey", false);
    show("sent");
    await deliver();
  });
  at("again").addEventListener("click", async () => {
    // The same report, whatever was wrong with its envelope: one drawn anew would reveal more.
    const token = plainToken(at("other-token").value);
    if (admitted && token) sealed = { ...sealed, token };
    if (reason === "id-taken") sealed = { ...sealed, id: newId() };
    await deliver();
  });
  at("next").addEventListener("click", () => {
    sealed = null;
    at("token").value = at("other-token").value = "";
    at("words").textContent = at("raw").textContent = "";
    told("");
    show("sent", false);
    show("survey");
    answers.first.focus();
  });
}

if (globalThis.document) {
  start().catch((error) => {
    const known = error instanceof Refusal;
    at("status").textContent = known
      ? `${error.message} Nothing was sent.`
      : "The page could not be set up. Nothing was sent.";
  });
}
