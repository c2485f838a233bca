// The page of whoever asks. The key of the link is exchanged once for a session, which this tab
// keeps; it is said in a header, so no other site can act with it.

import { part } from "./results_part.js";
import { teller } from "./texts.js";

const PAUSE = 3000;
const KEPT = "discreet.operator";

const at = (id) => document.getElementById(id);
let session = null;

function make(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

/** Ask the collector, with the session; a stranger gets nothing. */
async function asked(address, body) {
  const request = { cache: "no-store", credentials: "omit", headers: {} };
  if (session) request.headers.Authorization = `Bearer ${session}`;
  if (body) {
    request.method = "POST";
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  const response = await fetch(address, request);
  if (response.status === 403) throw new Stranger();
  if (!response.ok) throw new Error();
  return response;
}

class Stranger extends Error {}

async function enter() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key") || "";
  if (key) {
    history.replaceState(null, "", location.pathname);
    const opened = await (await asked("operator/session", { key })).json();
    sessionStorage.setItem(KEPT, opened.session);
  }
  session = sessionStorage.getItem(KEPT);
  if (!session) throw new Stranger();
}

let page = null;

async function prepare() {
  const poll = await (await fetch("api/poll", { cache: "no-store", credentials: "omit" })).json();
  const say = teller(poll.texts);
  const parts = poll.questions.map((_, number) => part(number, poll, say));
  at("results").append(...parts.map(({ section }) => section));
  page = { say, parts, closed: null };
  at("close").addEventListener("click", async () => {
    at("close").disabled = true;
    try {
      await asked("operator/closed", { closed: !page.byHand });
      await look();
    } catch {
      at("status").textContent = at("status").dataset.trying;
    }
    at("close").disabled = false;
  });
  for (const button of document.querySelectorAll("[data-from]")) {
    button.addEventListener("click", () => save(button.dataset.from, button.dataset.name));
  }
}

async function save(from, name) {
  try {
    const address = URL.createObjectURL(await (await asked(from)).blob());
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  } catch {
    at("status").textContent = at("status").dataset.trying;
  }
}

async function look() {
  const { say, parts } = page;
  const found = await (await asked("operator/status")).json();
  page.byHand = found.closed_by_hand;
  const state = say(found.closed ? "results.closed" : "results.open");
  if (at("status").textContent !== state) at("status").textContent = state;
  const rows = [
    ["operator.reports", found.reports.toLocaleString("en")],
    ["operator.shown", found.mode === "live" ? found.reports.toLocaleString("en") : found.shown.toLocaleString("en")],
  ];
  if (found.invited !== undefined) {
    const rate = `${((100 * found.tokens_used) / found.invited).toFixed(1)}%`;
    rows.push(["operator.rate", say("operator.of", { used: found.tokens_used, given: found.invited, rate })]);
  }
  at("counts").textContent = "";
  for (const [name, value] of rows) {
    const row = document.createElement("tr");
    const head = make("th", say(name));
    head.scope = "row";
    row.append(head, make("td", value));
    at("counts").append(row);
  }
  at("close").textContent = say(found.closed_by_hand ? "operator.open" : "operator.close");
  at("faults").textContent = "";
  const faults = found.faults.map(({ text, times }) => `${text} (${times}×)`);
  for (const text of faults.length ? faults : [say("operator.none")]) at("faults").append(make("li", text));
  const refused = Object.entries(found.refused).filter(([, count]) => count > 0);
  at("refused").textContent = refused.length
    ? refused.map(([reason, count]) => `${reason}: ${count.toLocaleString("en")}`).join("; ")
    : say("refused.none");
  parts.forEach(({ write }, number) => write(found.questions[number], found.reports));
  at("operator").hidden = false;
}

async function refresh() {
  try {
    if (session === null) await enter();
    if (page === null) await prepare();
    await look();
  } catch (error) {
    const stranger = error instanceof Stranger;
    at("status").textContent = at("status").dataset[stranger ? "stranger" : "trying"];
    if (stranger) {
      at("operator").hidden = true;
      return;
    }
  }
  setTimeout(refresh, PAUSE);
}

refresh();
