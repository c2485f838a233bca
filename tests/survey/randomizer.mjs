// Runs the page's randomizer under Node: a list of tasks on the standard input, results out.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const module = await import(pathToFileURL(process.argv[2]));
const real = globalThis.crypto;
const tasks = JSON.parse(readFileSync(0, "utf-8"));

/** A generator that gives the scripted words, one a call, and must be used up. */
function scripted(words) {
  let used = 0;
  const source = {
    getRandomValues(array) {
      for (let at = 0; at < array.length; at += 1) {
        if (used === words.length) throw new Error("more words are drawn than the script has");
        array[at] = BigInt(words[used]);
        used += 1;
      }
      return array;
    },
  };
  return { source, left: () => words.length - used };
}

function replace(source) {
  Object.defineProperty(globalThis, "crypto", { value: source, configurable: true });
}

const kinds = {
  refused({ text }) {
    try {
      module.readScheme(text);
      return null;
    } catch (error) {
      if (!(error instanceof module.Refusal)) throw error;
      return error.message;
    }
  },
  scripted({ text, runs }) {
    const scheme = module.readScheme(text);
    return runs.map(({ answer, words }) => {
      const script = scripted(words);
      replace(script.source);
      try {
        return [module.randomize(scheme, answer), script.left()];
      } finally {
        replace(real);
      }
    });
  },
  sample({ text, answer, count }) {
    const scheme = module.readScheme(text);
    const seen = {};
    for (let at = 0; at < count; at += 1) {
      const report = JSON.stringify(module.randomize(scheme, answer));
      seen[report] = (seen[report] ?? 0) + 1;
    }
    return seen;
  },
  positions({ text, numbers }) {
    const scheme = module.readScheme(text);
    return numbers.map((number) => String(module.positionOf(scheme, number)));
  },
  bounds: ({ text }) => module.bounds(module.readScheme(text)),
  hash: ({ text }) => module.sha256(text),
  identity: ({ text }) => module.readScheme(text).hash,
  words({ text, reports }) {
    const scheme = module.readScheme(text);
    return [
      module.explanation(scheme),
      reports.map((report) => module.reportInWords(scheme, report)),
    ];
  },
  envelope({ text, question, report, token }) {
    return module.envelope(module.readScheme(text), question, report, token);
  },
};

process.stdout.write(JSON.stringify(tasks.map((task) => kinds[task.kind](task))));
