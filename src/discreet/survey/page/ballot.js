// What a respondent is asked and sends: a report to each question, under one privacy.

import {
  has,
  insist,
  newId,
  randomize,
  readBound,
  readObject,
  readScheme,
  sha256,
  worstRatio,
} from "./randomizer.js";

const KINDS = ["randomized-response", "unary", "subset", "hadamard", "projective", "mean"];
const ASKED = ["yes-no", "one", "several", "scale", "number"];

/** The kinds of scheme that a text names; only their files are loaded. */
export async function loadedKinds(text) {
  const fields = readObject(text);
  const schemes = Array.isArray(fields.questions) ? fields.questions.map((one) => one && one.scheme) : [fields];
  const kinds = {};
  for (const one of schemes) {
    const name = one && one.scheme;
    insist(KINDS.includes(name), "The scheme is of a kind that this page does not know.");
    if (!has(kinds, name)) kinds[name] = (await import(`./schemes/${name}.js`)).default;
  }
  return kinds;
}

/** The ballot of a text: a scheme, or a survey of several; whatever promises too much is refused.
 * Its questions are [{ question, kind, answers, scheme, parts }], of a plain one without texts. */
export function readBallot(text, kinds) {
  const fields = readObject(text);
  const hash = sha256(text);
  if (fields.format === "discreet.local") {
    const scheme = readScheme(fields, kinds);
    const questions = [{ question: null, kind: null, answers: scheme.names, scheme, parts: 1 }];
    return { hash, plain: true, questions, ratio: worstRatio(scheme) };
  }
  insist(fields.format === "discreet.survey" && fields.version === 1, "This is not a survey.");
  insist(
    Object.keys(fields).sort().join() === "epsilon,format,questions,version",
    "The survey has fields that this page does not know, or lacks some.",
  );
  insist(Array.isArray(fields.questions) && fields.questions.length > 0, "The survey asks nothing.");
  const questions = fields.questions.map((one) => readQuestion(one, kinds));
  insist(
    new Set(questions.map(({ question }) => question)).size === questions.length,
    "A question stands twice.",
  );
  let [above, below] = [0n, 1n]; // what all parts together may cost, by what their schemes state
  let ratio = [1n, 1n];
  for (const { scheme, parts } of questions) {
    insist(scheme.stated === "epsilon", "A scheme of the survey does not state its epsilon.");
    const [a, b] = scheme.bound;
    [above, below] = [above * b + BigInt(parts) * a * below, below * b];
    const [p, q] = worstRatio(scheme);
    ratio = [ratio[0] * p ** BigInt(parts), ratio[1] * q ** BigInt(parts)];
  }
  const [a, b] = readBound(fields.epsilon);
  insist(above * b <= below * a, "The questions together protect less than the survey says.");
  return { hash, plain: false, questions, ratio };
}

function readQuestion(fields, kinds) {
  insist(
    fields && Object.keys(fields).sort().join() === "answers,kind,question,scheme",
    "A question has fields that this page does not know, or lacks some.",
  );
  const { question, kind, answers } = fields;
  insist(typeof question === "string" && question !== "" && ASKED.includes(kind), "This is not a question.");
  insist(
    Array.isArray(answers) &&
      answers.every((name) => typeof name === "string" && name !== "") &&
      new Set(answers).size === answers.length,
    "The names of the answers are not all different texts.",
  );
  const scheme = readScheme(fields.scheme, kinds);
  if (kind === "several") {
    const fits = scheme.scheme === "randomized-response" && scheme.names === null;
    insist(fits && scheme.categories === 2n && answers.length > 1, "Several answers need a yes or a no each.");
  } else if (kind === "number") {
    insist(scheme.scheme === "mean" && answers.length === 0, "A number needs a scheme for numbers.");
  } else {
    const same = scheme.names && scheme.names.length === answers.length;
    insist(same && answers.every((name, at) => name === scheme.names[at]), "The answers are not those of the scheme.");
  }
  return { question, kind, answers, scheme, parts: kind === "several" ? answers.length : 1 };
}

/** A report to a question: of several answers the places of those that are chosen are given. */
export function reportTo({ kind, scheme, parts }, answer) {
  if (kind !== "several") return randomize(scheme, answer);
  return Array.from({ length: parts }, (_, at) => randomize(scheme, answer.includes(at) ? 1 : 0));
}

/** What is sent: the hash of the ballot, the report, and a number that stops a repeat. */
export function envelope(ballot, question, reports, token) {
  const sealed = ballot.plain
    ? { scheme: ballot.hash, question: sha256(question), report: reports[0], id: newId() }
    : { survey: ballot.hash, report: reports, id: newId() };
  return token ? { ...sealed, token } : sealed;
}

/** The places of the answers in the order in which they are shown: drawn, where that is asked for. */
export function order(count, shuffled, below) {
  const places = Array.from({ length: count }, (_, at) => at);
  if (!shuffled) return places;
  for (let left = count - 1; left > 0; left -= 1) {
    const other = Number(below(BigInt(left + 1)));
    [places[left], places[other]] = [places[other], places[left]];
  }
  return places;
}
