// The page that asks. An answer is read from it, randomized here, and forgotten; only the report
// leaves the page.

import { envelope, loadedKinds, order, readBallot, reportTo } from "./ballot.js";
import { Refusal, below, insist, newId } from "./randomizer.js";
import { exactly, explanation, level, listed, quoted, teller } from "./texts.js";

const FEW = 12; // up to so many answers are buttons, more are a list
const MOST_SHOWN = 10000n;
const PATIENCE = 40000; // milliseconds for the collector

const at = (id) => document.getElementById(id);

function make(tag, attributes = {}, text = "") {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

function told(text) {
  at("status").textContent = text;
}

function show(id, visible = true) {
  at(id).hidden = !visible;
}

// ------------------------------------------------------------------ fields for answers
//
// Each is { element, first, chosen(), clear(), missing }. No field has a name, so that no form could
// ever send it; `own` are the attributes of a text that the poll states.

function boxed(type, id, name, own, more = {}) {
  const field = make("input", { type, id, autocomplete: "off", ...more });
  const label = make("label", { for: id });
  label.append(field, make("span", own, name));
  return { field, label };
}

/** One of a few answers: radio buttons, in the order of the places. */
function radioButtons({ prefix, heading, names, places, own, ends, say }) {
  const group = make("div", { role: "radiogroup", "aria-labelledby": heading });
  const buttons = places.map((place, shown) => {
    const { field, label } = boxed("radio", `${prefix}answer-${place}`, names[place], own, {
      tabindex: shown ? "-1" : "0",
      "aria-posinset": String(shown + 1),
      "aria-setsize": String(names.length),
    });
    group.append(label);
    return field;
  });
  let element = group;
  if (ends) {
    group.className = "scale";
    const words = make("p", { class: "ends quiet", id: `${prefix}ends` });
    words.append(make("span", own, ends[0]), make("span", own, ends[1]));
    group.setAttribute("aria-describedby", words.id);
    element = make("div");
    element.append(group, words);
  }
  const choose = (chosen) => {
    for (const button of buttons) {
      button.checked = button === chosen;
      button.tabIndex = button === (chosen || buttons[0]) ? 0 : -1;
    }
  };
  group.addEventListener("change", (event) => choose(event.target));
  group.addEventListener("keydown", (event) => {
    const turned = getComputedStyle(group).direction === "rtl" ? -1 : 1;
    const step = { ArrowDown: 1, ArrowRight: turned, ArrowUp: -1, ArrowLeft: -turned }[event.key];
    const place = buttons.indexOf(event.target);
    if (step === undefined || place < 0) return;
    event.preventDefault();
    const next = buttons[(place + step + buttons.length) % buttons.length];
    choose(next);
    next.focus();
  });
  const chosen = () => {
    const shown = buttons.findIndex((button) => button.checked);
    return shown < 0 ? null : places[shown];
  };
  return { element, missing: say("missing.choice"), chosen, clear: () => choose(null), first: buttons[0] };
}

/** One of many answers: a list, where buttons would fill the page. */
function choiceList({ prefix, heading, names, places, own, say }) {
  const list = make("select", { id: `${prefix}list`, "aria-labelledby": heading, autocomplete: "off" });
  list.append(make("option", { value: "" }, say("choose")));
  for (const place of places) list.append(make("option", { value: String(place), ...own }, names[place]));
  return {
    element: list,
    missing: say("missing.choice"),
    chosen: () => (list.value === "" ? null : Number(list.value)),
    clear: () => (list.value = ""),
    first: list,
  };
}

/** Several answers, or none of them: which is an answer, too. */
function tickBoxes({ prefix, heading, names, places, own, say }) {
  const group = make("div", { role: "group", "aria-labelledby": heading });
  const boxes = places.map((place) => {
    const { field, label } = boxed("checkbox", `${prefix}answer-${place}`, names[place], own);
    group.append(label);
    return field;
  });
  const none = boxed("checkbox", `${prefix}none`, say("none"), { dir: "auto" });
  group.append(none.label);
  group.addEventListener("change", ({ target }) => {
    if (target === none.field && target.checked) for (const box of boxes) box.checked = false;
    else if (target.checked) none.field.checked = false;
  });
  return {
    element: group,
    missing: say("missing.several", { none: say("none") }),
    chosen: () => {
      const ticked = places.filter((_, shown) => boxes[shown].checked);
      return ticked.length || none.field.checked ? ticked : null;
    },
    clear: () => [...boxes, none.field].forEach((box) => (box.checked = false)),
    first: boxes[0],
  };
}

const DIGITS = /[٠-٩۰-۹०-९০-৯０-９]/g;
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xff10]; // of these digits, in order

/** A number as it is typed anywhere: a decimal with a point, or null, or undefined if it is unclear. */
export function typedNumber(text) {
  const digits = text
    .replace(DIGITS, (digit) => String(digit.charCodeAt(0) - ZEROS.find((zero) => digit.charCodeAt(0) - zero < 10)))
    .replace(/[\u200e\u200f\u061c\u2066-\u2069]/g, "")
    .replace(/[٫，]/g, ",")
    .replace(/．/g, ".")
    .replace(/[−–－]/g, "-")
    .trim();
  if (digits === "") return null;
  if (/^[+-]?[0-9]{1,40}(\.[0-9]{0,40})?$|^[+-]?\.[0-9]{1,40}$/.test(digits)) return digits;
  if (/^[+-]?[0-9]{1,3}(,[0-9]{3})+$/.test(digits)) return undefined; // of thousands, or not
  if (/^[+-]?[0-9]{0,40},[0-9]{1,40}$/.test(digits)) return digits.replace(",", ".");
  return /^[+-]?[0-9][0-9.,'’\s٬]*$/.test(digits) ? undefined : null;
}

/** A decimal as it is understood: 1.500 is 1.5, however it was meant. */
export function understood(decimal) {
  const [, sign, whole, part] = /^([+-]?)0*([0-9]*)(?:\.([0-9]*?)0*)?$/.exec(decimal);
  return `${sign === "-" && (whole || part) ? "-" : ""}${whole || "0"}${part ? `.${part}` : ""}`;
}

/** A number that is typed in; what lies beyond the bounds is asked for twice. */
function numberField({ prefix, heading, scheme, say }) {
  const { bounds, decimal, beyond: sideOf } = scheme.rules;
  const [low, high] = bounds(scheme);
  const id = `${prefix}number`;
  const field = make("input", {
    type: "text",
    inputmode: "decimal",
    id,
    dir: "ltr",
    maxlength: "40", // as many digits as are read
    autocomplete: "off",
    "aria-labelledby": heading,
    "aria-describedby": `${prefix}range ${prefix}read`,
  });
  const { dir } = document.documentElement; // whichever way the question is written
  const hint = make("p", { id: `${prefix}range`, class: "quiet", dir }, say("number.range", { low, high }));
  const read = make("p", { id: `${prefix}read`, class: "quiet", dir, "aria-live": "polite" });
  const group = make("div");
  group.append(field, hint, read);
  let beyond = null; // what was sent once beyond the bounds
  const number = () => {
    const typed = typedNumber(field.value);
    return typed && decimal(typed) !== null ? typed : typed === undefined ? undefined : null;
  };
  field.addEventListener("input", () => {
    const typed = number();
    read.textContent =
      typed === undefined ? say("number.unclear") : typed === null ? "" : say("number.read", { number: understood(typed) });
  });
  return {
    element: group,
    get missing() {
      if (number() === undefined) return say("number.unclear");
      if (beyond === null) return say("missing.number");
      return say("number.beyond", { number: understood(beyond.typed), low, high, bound: beyond.below ? low : high });
    },
    chosen: () => {
      const typed = number();
      if (typed === undefined || typed === null) return (beyond = null);
      const side = sideOf(scheme, typed);
      if (side === 0 || (beyond !== null && beyond.typed === typed)) return typed;
      beyond = { typed, below: side < 0 };
      return null;
    },
    clear: () => {
      field.value = "";
      read.textContent = "";
      beyond = null;
    },
    first: field,
  };
}

function fieldsFor(asked, shown, number, say, own) {
  const { scheme } = asked;
  const prefix = number ? `q${number + 1}-` : "";
  const heading = number ? `question-${number + 1}` : "question";
  if (scheme.scheme === "mean") return numberField({ prefix, heading, scheme, say });
  insist(scheme.categories <= MOST_SHOWN, "There are more answers than a page can show.");
  const names = asked.answers || Array.from({ length: Number(scheme.categories) }, (_, n) => String(n));
  const places = order(names.length, shown.shuffle === true, below);
  const parts = { prefix, heading, names, places, own, ends: shown.ends, say };
  if (asked.kind === "several") return tickBoxes(parts);
  return names.length <= FEW ? radioButtons(parts) : choiceList(parts);
}

// ------------------------------------------------------------------ the collector

async function fetched(address, unavailable) {
  let response;
  try {
    response = await fetch(address, { cache: "no-store", credentials: "omit" });
  } catch {
    throw new Refusal(unavailable);
  }
  if (!response.ok) throw new Refusal(unavailable);
  return response.text();
}

/** A signal that ends a request which takes too long, where the browser knows such signals. */
function impatience() {
  if (typeof AbortController !== "function") return undefined;
  const controller = new AbortController();
  setTimeout(() => controller.abort(), PATIENCE);
  return controller.signal;
}

const FINAL = ["closed", "wrong-scheme", "malformed", "oversize", "not-json"];

/** Send a report: the collector's reason if it did not take it. */
async function send(sealed) {
  const request = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(sealed),
    credentials: "omit",
    referrerPolicy: "no-referrer",
    signal: impatience(),
  };
  let response;
  try {
    response = await fetch("reports", request);
  } catch {
    return "no-connection";
  }
  if (response.status === 201) return "";
  const said = await response.json().catch(() => null);
  return said && typeof said.error === "string" && said.error ? said.error : "unknown";
}

/** The token of a link. It is taken out of the address at once; the browser's history keeps the
 * link that was followed. */
function tokenOfAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") || "";
  if (token) history.replaceState(null, "", location.pathname);
  return token;
}

/** A token without the spaces and dashes of how it was written. */
function plainToken(text) {
  return text.toLowerCase().replace(/[^0-9a-z]/g, "");
}

// ------------------------------------------------------------------ what is said

/** Who asks, why, and until when. */
function introduce(poll, say, own) {
  const said = ["asker", "purpose", "contact"].filter((name) => poll.words[name]);
  for (const name of said) at("intro").append(make("dt", {}, say(name)), make("dd", own, poll.words[name]));
  if (poll.closes) {
    const moment = new Date(poll.closes);
    if (!moment.getHours() && !moment.getMinutes()) moment.setMinutes(-1); // midnight is of the day before
    const said = moment.toLocaleString(poll.textsLanguage, { dateStyle: "long", timeStyle: "short" });
    at("intro").append(make("dt", {}, say("until")), make("dd", {}, said));
  }
  show("intro", at("intro").childElementCount > 0);
}

/** Why a report protects the one who sends it, and how far. */
function explain(ballot, poll, protection, say) {
  const space = at("explanation");
  at("why-heading").textContent = say(`why.${protection}`);
  ballot.questions.forEach((asked, number) => {
    const sentences = explanation(asked.scheme, protection, say);
    if (asked.kind === "several") sentences.unshift(say("several"));
    const paragraphs = sentences.map((sentence) => make("p", {}, sentence));
    if (ballot.questions.length === 1) {
      space.append(...paragraphs);
      return;
    }
    const more = make("details");
    const question = quoted(poll.questions[number].question, say);
    more.append(make("summary", {}, say("how", { question })), ...paragraphs);
    space.append(more);
  });
  const mean = ballot.questions.every(({ scheme }) => scheme.scheme === "mean");
  const shown = say(`shown.${poll.results}`, { batch: poll.batch });
  space.append(make("p", {}, exactly(ballot.ratio, say, !ballot.plain)));
  if (protection !== "little") space.append(make("p", {}, say(mean ? "learned.mean" : "learned.shares")));
  space.append(make("p", {}, shown));
}

/** What the report to a question says. */
function saidOf(asked, report, say) {
  if (asked.kind !== "several") return asked.scheme.rules.said(asked.scheme, report, say);
  const scheme = { categories: asked.answers.length, names: asked.answers };
  return say("says.several", { answers: listed(scheme, (place) => report[place] === 1, say) });
}

// ------------------------------------------------------------------ the page

async function start() {
  const linked = tokenOfAddress();
  const page = document.documentElement;
  const { collector, random, setup } = at("status").dataset;
  insist(typeof crypto === "object" && typeof crypto.getRandomValues === "function", random);
  const poll = JSON.parse(await fetched("api/poll", collector));
  const text = await fetched("scheme.json", collector);
  const words = poll.texts;
  const say = teller(words);
  const ballot = readBallot(text, await loadedKinds(text));
  insist(ballot.questions.length === poll.questions.length, setup);
  const admitted = poll.tokens === "one-time"; // otherwise nobody is told apart by a token
  const own = { dir: "auto", lang: poll.language };
  const protection = level(ballot.ratio);
  const titles = ballot.questions.map((asked, number) => asked.question || poll.questions[number].question);
  introduce(poll, say, own);
  const fields = ballot.questions.map((asked, number) => {
    if (number) {
      const heading = make("h2", { id: `question-${number + 1}`, class: "question", ...own }, titles[number]);
      at("more").append(heading, make("div", { id: `answers-${number + 1}` }));
    } else {
      at("question").textContent = titles[0];
    }
    const made = fieldsFor(asked, poll.questions[number], number, say, own);
    const place = at(number ? `answers-${number + 1}` : "answers");
    place.dir = getComputedStyle(place.previousElementSibling).direction; // that of the question
    place.append(made.element);
    return made;
  });
  const clear = () => fields.forEach((one) => one.clear());
  at("level").textContent = say(`level.${protection}`);
  at("level").className = `level ${protection}`;
  at("promise").textContent = say(fields.length > 1 ? "promise.several" : "promise");
  explain(ballot, poll, protection, say);
  at("token").value = admitted ? linked : "";
  show("token-row", admitted);
  show("consent-row", Boolean(poll.words.consent));
  if (poll.words.consent) {
    at("consent-text").textContent = poll.words.consent;
    at("consent-row").dir = getComputedStyle(at("consent-text")).direction;
  }
  at("all").textContent = say(admitted ? "all.token" : "all");
  at("reassured").textContent = say(`reassured.${protection}`);
  show("results-link", poll.results !== "private");
  show("why");
  if (poll.closed) {
    told(say("closed"));
    return;
  }
  told("");
  show("survey");

  let sealed = null;
  let reason = "";
  let pending = false; // the report is on its way, or may not have arrived
  addEventListener("beforeunload", (event) => pending && event.preventDefault());
  const deliver = async () => {
    pending = true;
    show("results-link", false);
    show("next", false); // that of the report before this one
    at("sent-heading").textContent = say("report.heading");
    at("send").disabled = at("again").disabled = true;
    at("raw").textContent = JSON.stringify(sealed, null, 1);
    told(say("sending"));
    reason = await send(sealed);
    at("send").disabled = at("again").disabled = false;
    const final = FINAL.includes(reason);
    pending = reason !== "" && !final;
    show("results-link", !pending && poll.results !== "private");
    show("again", pending);
    show("other-token-row", reason.startsWith("token-"));
    show("next", reason === "");
    at("thanks").textContent = reason === "" && poll.words.thanks ? poll.words.thanks : "";
    const known = Object.prototype.hasOwnProperty.call(words, `told.${reason}`);
    told(reason === "" ? say("sent") : say(known ? `told.${reason}` : "unknown"));
    at("sent-heading").textContent = say(reason === "" ? "sent.heading" : "report.heading");
    at("sent-heading").focus();
  };
  at("send").addEventListener("click", async () => {
    if (poll.words.consent && !at("consent").checked) {
      told(say("required", { text: poll.words.consent }));
      at("consent").focus();
      return;
    }
    const answers = [];
    for (const [number, field] of fields.entries()) {
      const answer = field.chosen();
      if (answer === null) {
        const question = quoted(titles[number], say);
        told(fields.length > 1 ? say("about", { question, said: field.missing }) : field.missing);
        field.first.focus();
        return;
      }
      answers.push(answer);
    }
    const token = plainToken(at("token").value);
    if (admitted && !token) {
      told(say("missing.token"));
      at("token").focus();
      return;
    }
    const reports = ballot.questions.map((asked, number) => reportTo(asked, answers[number]));
    clear(); // from here on only the report is known
    answers.length = 0;
    sealed = envelope(ballot, titles[0], reports, admitted ? token : "");
    at("other-token").value = at("token").value;
    at("words").textContent = "";
    ballot.questions.forEach((asked, number) => {
      const sentence = saidOf(asked, reports[number], say);
      if (fields.length > 1) at("words").append(make("p", { class: "quiet", ...own }, titles[number]));
      at("words").append(make("p", { dir: page.dir }, sentence));
    });
    show("survey", false);
    show("intro", false);
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
    at("consent").checked = false;
    at("words").textContent = at("raw").textContent = at("thanks").textContent = "";
    told("");
    show("sent", false);
    show("intro", at("intro").childElementCount > 0);
    show("survey");
    fields[0].first.focus();
  });
}

if (globalThis.document) {
  start().catch((error) => {
    const { notSent, setup } = at("status").dataset;
    const why = error instanceof Refusal ? error.message : setup;
    told(teller({ text: notSent })("text", { why }));
  });
}
