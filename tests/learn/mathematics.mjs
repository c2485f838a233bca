// Runs functions of the page's module under Node: [name, arguments] pairs in, results out.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const page = await import(pathToFileURL(process.argv[2]));
const calls = JSON.parse(readFileSync(0, "utf-8"));
const answers = calls.map(([name, given, count = 0]) =>
  count ? Array.from({ length: count }, () => page[name](...given)) : page[name](...given),
);
process.stdout.write(JSON.stringify(answers));
