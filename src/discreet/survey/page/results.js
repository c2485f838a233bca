// The estimates as tables and charts, read again every two seconds.

import { part } from "./results_part.js";
import { teller } from "./texts.js";

const PAUSE = 2000;

const at = (id) => document.getElementById(id);

let parts = null;
let seen = "";

async function fetched(address) {
  const response = await fetch(address, { cache: "no-store", credentials: "omit" });
  if (!response.ok) throw new Error();
  return response.text();
}

async function look() {
  if (parts === null) {
    const poll = JSON.parse(await fetched("api/poll"));
    const say = teller(poll.texts);
    const made = poll.questions.map((_, number) => part(number, poll, say));
    at("results").append(...made.map(({ section }) => section));
    at("mode").textContent = say(`shown.${poll.results}`, { batch: poll.batch });
    parts = { made, say };
  }
  const text = await fetched("api/results");
  if (text === seen) return;
  seen = text;
  const found = JSON.parse(text);
  const { made, say } = parts;
  const state = say(found.closed ? "results.closed" : "results.open");
  const counted = found.reports
    ? say("results.reports", { number: found.reports.toLocaleString("en") })
    : say("results.wait");
  at("status").textContent = `${counted} ${state}`;
  const refused = Object.entries(found.refused).filter(([, count]) => count > 0);
  at("refused").textContent = refused.length
    ? refused.map(([reason, count]) => `${reason}: ${count.toLocaleString("en")}`).join("; ")
    : say("refused.none");
  at("results").hidden = at("more").hidden = found.reports === 0;
  at("take-reports").hidden = !(found.mode === "live" || (found.closed && found.mode !== "private"));
  if (found.reports) made.forEach(({ write }, number) => write(found.questions[number], found.reports));
}

async function refresh() {
  try {
    await look();
  } catch {
    seen = "";
    at("status").textContent = at("status").dataset.trying;
  }
  setTimeout(refresh, PAUSE);
}

refresh();
