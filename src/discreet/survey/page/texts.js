// What a respondent reads: texts from one table, with the scheme's own numbers.

import { MANY } from "./randomizer.js";

const MOST_LISTED = 20;

/** Says a text of a table by its name, with the values that stand in braces in it. */
export function teller(table) {
  return (name, values = {}) =>
    String(table[name]).replace(/\{(\w+)\}/g, (_, filled) => String(values[filled]));
}

/** A chance in plain words: "about 3 of 4 cases", as few as they can be. */
export function often(say, above, below) {
  const rare = above * 2n > below ? below - above : above;
  if (1000n * rare < below) return say(above * 2n > below ? "often.most" : "often.least");
  for (const cases of [2n, 3n, 4n, 5n, 6n, 8n, 10n, 20n, 50n, 100n, 200n, 500n, 1000n]) {
    const times = (2n * above * cases + below) / (2n * below);
    const off = times * below - above * cases; // over cases * below
    const near = 10n * (off < 0n ? -off : off) <= rare * cases || cases === 1000n;
    const halved = 2n * times === cases && 50n * (off < 0n ? -off : off) > cases * below;
    if (times > 0n && times < cases && near && !halved) return say("often", { times, cases });
  }
}

/** A fraction with two decimals, rounded up. */
export function decimal(say, above, below) {
  if (above > MANY * below) return say("million");
  const hundredths = (above * 100n + below - 1n) / below;
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")}`;
}

const ONE = 10n ** 18n;
const E = 2718281828459045236n; // e, and its square, over 10^18 and rounded up
const E_SQUARED = 7389056098930650228n;

/** How well a ratio of chances protects: to e^1 "well", to e^2 "some", above "little". */
export function level([above, below]) {
  if (above * ONE <= below * E) return "well";
  return above * ONE <= below * E_SQUARED ? "some" : "little";
}

/** How an answer is randomized: sentences with the scheme's own numbers. */
export function explanation(scheme, protection, say) {
  const sentences = scheme.rules.explained(scheme, say);
  return protection === "little" ? sentences : [...sentences, say(scheme.rules.end)];
}

/** How many times as likely answers can make what is sent as others do. */
export function exactly([above, below], say, together = false) {
  const times = decimal(say, above, below);
  const many = above > MANY * below;
  return say(many ? "exactly.over" : together ? "exactly.all" : "exactly", { times });
}

/** A text of the poll, in marks that show where it ends, whichever way it is written. */
export function quoted(text, say) {
  return say("quoted", { text: `\u2068${text}\u2069` }); // isolated: its direction turns nothing around it
}

/** A name of an answer, in such marks. */
export function named(scheme, at, say) {
  const name = scheme.names ? scheme.names[at] : say("answer", { number: at + 1 });
  return quoted(name, say);
}

/** The answers that pass a test, in words. */
export function listed(scheme, test, say) {
  const count = Number(scheme.categories);
  const found = Array.from({ length: count }, (_, at) => at).filter(test);
  if (!found.length) return say("none.listed");
  if (found.length > MOST_LISTED) return say("many.listed", { some: found.length, all: count });
  return found.map((at) => named(scheme, at, say)).join(say("comma"));
}
