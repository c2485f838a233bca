// Everything that touches an answer: the randomizer, and the page around it.
//
// The answer is read from the page, randomized here, and forgotten. Only the report leaves the
// page. Chances are integers N of 2^64, compared with uniform 64-bit integers of the browser's
// cryptographic generator, so the law of a report is exact; no float decides anything.

const WHOLE = 1n << 64n;
const LONGEST_TEXT = 1 << 20;
const MOST_EPSILON = 128n; // e^128 is above every ratio that chances of 2^64 can have

const FIELDS = {
  "randomized-response": ["keep"],
  unary: ["kind", "one", "other"],
  subset: ["size", "keep"],
  hadamard: ["rows", "keep"],
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
  const known = ["format", "version", "scheme", stated, "categories", ...own].sort();
  const found = Object.keys(fields).sort();
  insist(
    known.length === found.length && known.every((name, at) => name === found[at]),
    "The scheme has fields that this page does not know, or lacks some.",
  );
  const scheme = {
    scheme: fields.scheme,
    hash: sha256(text),
    names: readNames(fields.categories),
    stated,
    bound: readRational(fields[stated]),
  };
  scheme.categories = BigInt(scheme.names === null ? fields.categories : scheme.names.length);
  for (const name of own) scheme[name] = READERS[name](fields[name]);
  READERS[fields.scheme]?.(scheme);
  insist(keepsPromise(scheme), "The scheme protects less than it says.");
  return Object.freeze(scheme);
}

const READERS = {
  keep: readChance,
  one: readChance,
  other: readChance,
  kind(kind) {
    insist(kind === "optimised" || kind === "symmetric", "The kind of the scheme is unknown.");
    return kind;
  },
  size: readCount,
  rows: readCount,
  subset({ size, categories }) {
    insist(size >= 1n && size < categories, "The subset is not smaller than all answers.");
  },
  hadamard({ rows, categories }) {
    insist((rows & (rows - 1n)) === 0n && rows > categories, "The rows are not a power of two.");
  },
};

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readNames(categories) {
  if (Number.isSafeInteger(categories)) {
    insist(categories >= 2 && categories <= 2 ** 31, "The number of answers is out of range.");
    return null;
  }
  insist(Array.isArray(categories) && categories.length >= 2, "The scheme names no answers.");
  insist(
    categories.every((name) => typeof name === "string" && name !== "") &&
      new Set(categories).size === categories.length,
    "The names of the answers are not all different texts.",
  );
  return Object.freeze([...categories]);
}

function readChance(text) {
  insist(typeof text === "string" && /^[1-9][0-9]{0,19}$/.test(text), "A chance is not a number.");
  const chance = BigInt(text);
  insist(chance < WHOLE, "A chance is not below 1.");
  return chance;
}

function readCount(number) {
  insist(Number.isSafeInteger(number) && number >= 1 && number <= 2 ** 33, "A number is no count.");
  return BigInt(number);
}

function readRational(text) {
  insist(
    typeof text === "string" && /^[1-9][0-9]{0,59}(\/[1-9][0-9]{0,59})?$/.test(text),
    "The privacy that the scheme states is not an exact number.",
  );
  const [above, below = "1"] = text.split("/");
  return [BigInt(above), BigInt(below)];
}

// ------------------------------------------------------------------ what it promises

/** How many times as likely one answer may make a report as another: an exact fraction. */
export function worstRatio(scheme) {
  let { keep, one, other, categories, size } = scheme;
  let ratio;
  if (scheme.scheme === "randomized-response") ratio = [keep * (categories - 1n), WHOLE - keep];
  if (scheme.scheme === "unary") ratio = [one * (WHOLE - other), (WHOLE - one) * other];
  if (scheme.scheme === "subset") ratio = [keep * (categories - size), (WHOLE - keep) * size];
  if (scheme.scheme === "hadamard") ratio = [keep, WHOLE - keep];
  return ratio[0] < ratio[1] ? [ratio[1], ratio[0]] : ratio;
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
};

/** A report for the answer at this place of the scheme's list. */
export function randomize(scheme, answer) {
  insist(
    Number.isSafeInteger(answer) && answer >= 0 && BigInt(answer) < scheme.categories,
    "This is not one of the answers.",
  );
  return RANDOMIZERS[scheme.scheme](scheme, BigInt(answer));
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

function parity(number) {
  let odd = 0;
  for (; number > 0n; number &= number - 1n) odd ^= 1;
  return odd;
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What is sent for a report: the scheme's hash, the report, and a number that stops a repeat. */
export function envelope(scheme, report, token) {
  const id = hex(crypto.getRandomValues(new Uint8Array(16)));
  return { scheme: scheme.hash, report, id, ...(token ? { token } : {}) };
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

/** A fraction as a percentage with one decimal. */
export function percent(above, below) {
  const tenths = (above * 2000n + below) / (2n * below);
  return `${tenths / 10n}${tenths % 10n ? `.${tenths % 10n}` : ""}%`;
}

/** A fraction with two decimals, rounded up. */
export function decimal(above, below) {
  const hundredths = (above * 100n + below - 1n) / below;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")}`;
}

/** Why nobody can be blamed for a report: sentences with the scheme's own numbers. */
export function explanation(scheme) {
  const of = (chance) => percent(chance, WHOLE);
  const said = {
    "randomized-response": ({ keep, categories }) => [
      `Your browser rolls dice first. With a chance of ${of(keep)} it reports your answer; ` +
        `otherwise it reports ${categories === 2n ? "the other one" : "one of the others"}.`,
      "Someone whose answer is another one reports yours in " +
        `${percent(WHOLE - keep, WHOLE * (categories - 1n))} of all cases. So a report proves ` +
        "nothing about the person who sent it.",
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
  };
  return [
    ...said[scheme.scheme](scheme),
    `Put exactly: no report is more than ${decimal(...worstRatio(scheme))} times as likely for ` +
      "one answer as for any other. The collector learns how many people gave each answer, " +
      "roughly, and not who did.",
  ];
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
  const [row, bit] = report;
  const grouped = (at) => parity(BigInt(row) & BigInt(at + 1)) === bit;
  return `The report names the group: ${listed(grouped)}.`;
}

// ------------------------------------------------------------------ the page

const FEW = 12; // up to so many answers are buttons, more are a list

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
  const chosen = () => buttons.findIndex((button) => button.checked);
  return { element: group, chosen, clear: () => choose(null), first: buttons[0] };
}

/** The answers as a list to choose from, where buttons would fill the page. */
function choiceList(names) {
  const list = make("select", { "aria-labelledby": "question", autocomplete: "off" });
  list.append(make("option", { value: "" }, "Choose an answer"));
  names.forEach((name, place) => list.append(make("option", { value: String(place) }, name)));
  return {
    element: list,
    chosen: () => (list.value === "" ? -1 : Number(list.value)),
    clear: () => (list.value = ""),
    first: list,
  };
}

async function fetched(address) {
  const response = await fetch(address, { cache: "no-store", credentials: "omit" });
  if (!response.ok) throw new Refusal("The collector does not answer. Please try again later.");
  return response.text();
}

/** Send a report; it may be sent again, and counts once. */
async function send(sealed) {
  let response;
  try {
    response = await fetch("reports", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(sealed),
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
  } catch {
    return "There is no connection to the collector. The report was not sent.";
  }
  if (response.ok) return "";
  const said = await response.json().catch(() => ({}));
  return said.message ?? "The collector refused the report.";
}

function tokenOfAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
  if (token) history.replaceState(null, "", location.pathname); // not in the history, nor shown
  return token;
}

function show(id, visible = true) {
  at(id).hidden = !visible;
}

async function start() {
  const [poll, scheme] = [JSON.parse(await fetched("api/poll")), readScheme(await fetched("scheme.json"))];
  document.title = poll.title;
  at("title").textContent = poll.title;
  at("question").textContent = poll.question;
  const names = scheme.names ?? Array.from({ length: Number(scheme.categories) }, (_, n) => String(n));
  const answers = names.length <= FEW ? radioButtons(names) : choiceList(names);
  at("answers").append(answers.element);
  for (const sentence of explanation(scheme)) at("explanation").append(make("p", {}, sentence));
  at("token").value = tokenOfAddress();
  show("token-row", poll.tokens === "one-time");
  show("why");
  if (poll.closed) {
    at("status").textContent = "This survey is closed. No more reports are taken.";
    return;
  }
  show("survey");

  const told = (text) => (at("status").textContent = text);
  let sealed = null;
  const deliver = async () => {
    at("send").disabled = at("again").disabled = true;
    told("Sending the report…");
    const refusal = await send(sealed);
    at("send").disabled = at("again").disabled = false;
    show("again", refusal !== "");
    show("next", refusal === "");
    told(refusal || "The report was sent. Thank you.");
    at("sent-heading").textContent = refusal ? "What is to be sent" : "What was sent";
    at("sent-heading").focus();
  };
  at("send").addEventListener("click", async () => {
    const place = answers.chosen();
    if (place < 0) {
      told("Please choose an answer first.");
      answers.first.focus();
      return;
    }
    const token = at("token").value.trim();
    if (poll.tokens === "one-time" && !token) {
      told("Please enter your token first.");
      at("token").focus();
      return;
    }
    const report = randomize(scheme, place);
    answers.clear(); // from here on only the report is known
    sealed = envelope(scheme, report, token);
    at("words").textContent = reportInWords(scheme, report);
    at("raw").textContent = JSON.stringify(sealed, null, 1);
    show("survey", false);
    show("sent");
    await deliver();
  });
  at("again").addEventListener("click", deliver);
  at("next").addEventListener("click", () => {
    sealed = null;
    at("token").value = "";
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
