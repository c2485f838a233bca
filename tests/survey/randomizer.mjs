// Runs the page's randomizer under Node: a list of tasks on the standard input, results out.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const loaded = (name) => import(pathToFileURL(`${folder}/${name}.js`));
const [core, ballots, texts, page] = [
  await loaded("randomizer"),
  await loaded("ballot"),
  await loaded("texts"),
  await loaded("page"),
];
const mean = await loaded("schemes/mean");
const table = JSON.parse(readFileSync(`${folder}/texts/en.json`, "utf-8"));
const say = texts.teller(table);
const real = globalThis.crypto;
const tasks = JSON.parse(readFileSync(0, "utf-8"));
const kinds = {};
for (const name of ["randomized-response", "unary", "subset", "hadamard", "projective", "mean"]) {
  kinds[name] = (await loaded(`schemes/${name}`)).default;
}
const readScheme = (text) => core.readScheme(core.readObject(text), kinds);

/** A generator that gives the scripted words of 64 bits, one a call, and must be used up. */
function scripted(words) {
  let used = 0;
  const source = {
    getRandomValues(array) {
      if (!(array instanceof Uint32Array) || array.length !== 2) throw new Error("not a word");
      if (used === words.length) throw new Error("more words are drawn than the script has");
      const word = BigInt(words[used]);
      used += 1;
      array[0] = Number(word >> 32n);
      array[1] = Number(word & 0xffffffffn);
      return array;
    },
  };
  return { source, left: () => words.length - used };
}

function replace(source) {
  Object.defineProperty(globalThis, "crypto", { value: source, configurable: true });
}

const known = {
  refused({ text }) {
    try {
      readScheme(text);
      return null;
    } catch (error) {
      if (!(error instanceof core.Refusal)) throw error;
      return error.message;
    }
  },
  scripted({ text, runs }) {
    const scheme = readScheme(text);
    return runs.map(({ answer, words }) => {
      const script = scripted(words);
      replace(script.source);
      try {
        return [core.randomize(scheme, answer), script.left()];
      } finally {
        replace(real);
      }
    });
  },
  sample({ text, answer, count }) {
    const scheme = readScheme(text);
    const seen = {};
    for (let at = 0; at < count; at += 1) {
      const report = JSON.stringify(core.randomize(scheme, answer));
      seen[report] = (seen[report] ?? 0) + 1;
    }
    return seen;
  },
  positions({ text, numbers }) {
    const scheme = readScheme(text);
    return numbers.map((number) => String(mean.positionOf(scheme, number)));
  },
  bounds: ({ text }) => mean.bounds(readScheme(text)),
  hash: ({ text }) => core.sha256(text),
  identity: ({ text }) => ballots.readBallot(text, kinds).hash,
  words({ text, reports }) {
    const { questions, ratio } = ballots.readBallot(text, kinds);
    const [{ scheme }] = questions;
    const level = texts.level(ratio);
    return [
      [...texts.explanation(scheme, level, say), texts.exactly(ratio, say)],
      reports.map((report) => scheme.rules.said(scheme, report, say).replace(/[\u2068\u2069]/g, "")),
      level,
    ];
  },
  ballot({ text }) {
    try {
      const { questions, ratio } = ballots.readBallot(text, kinds);
      return [questions.map(({ parts }) => parts), ratio.map(String), texts.level(ratio)];
    } catch (error) {
      if (!(error instanceof core.Refusal)) throw error;
      return error.message;
    }
  },
  several({ text, number, answer, words }) {
    const { questions } = ballots.readBallot(text, kinds);
    const script = scripted(words);
    replace(script.source);
    try {
      return [ballots.reportTo(questions[number], answer), script.left()];
    } finally {
      replace(real);
    }
  },
  orders({ count, runs }) {
    return runs.map((words) => {
      const script = scripted(words);
      replace(script.source);
      try {
        return [ballots.order(count, true, core.below), script.left()];
      } finally {
        replace(real);
      }
    });
  },
  often: ({ chances }) => chances.map(([above, below]) => texts.often(say, BigInt(above), BigInt(below))),
  levels: ({ ratios }) => ratios.map(([above, below]) => texts.level([BigInt(above), BigInt(below)])),
  understood: ({ numbers }) => numbers.map(page.understood),
  typed: ({ numbers }) => numbers.map((text) => page.typedNumber(text) ?? (page.typedNumber(text) === null ? "none" : "unclear")),
  envelope({ text, question, reports, token }) {
    return ballots.envelope(ballots.readBallot(text, kinds), question, reports, token);
  },
};

process.stdout.write(JSON.stringify(tasks.map((task) => known[task.kind](task))));
