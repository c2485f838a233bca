// The part of a page that shows the estimates of one question: a chart, a table, and how to read it.

import { chart, standalone } from "./chart.js";

function make(tag, attributes = {}, text = "") {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = text;
  return made;
}

/** A number with so many decimals: an end of an interval, below (-1) or above (1), is rounded outward. */
function rounded(number, places, end) {
  const scaled = number * 10 ** places - end * 1e-9; // 29.1 may be 29.100000000000001
  const nearest = { "-1": Math.floor, 0: Math.round, 1: Math.ceil }[end];
  return nearest(scaled) / 10 ** places;
}

const percent = (share, whole, end) => `${rounded(100 * share, 1, end).toFixed(whole ? 0 : 1).replace("-", "−")}%`;

/** Estimates as they are shown: moved to possible values, with intervals cut to them. */
function rowsOf({ shares, mean }, say) {
  const row = (name, one) => ({ name, value: one.consistent, lower: one.at_least, upper: one.at_most });
  if (mean === null) {
    const rows = shares.map((one) => row(one.answer, one));
    const marked = (value, mark = false, end = 0) =>
      percent(value, mark && Number.isInteger(Math.round(value * 1e6) / 1e4), end);
    return { rows, low: 0, high: 1, written: marked };
  }
  const { low, high } = mean;
  const places = Math.max(0, 3 - Math.floor(Math.log10(high - low)));
  const decimals = Math.min(20, places);
  const written = (value, mark = false, end = 0) =>
    rounded(value, decimals, end).toLocaleString("en", { maximumFractionDigits: decimals }).replace("-", "−");
  return { rows: [row(say("table.mean.name"), mean)], low, high, written };
}

/** The part of the page for a question; its function `write` fills it in. */
export function part(number, poll, say) {
  const own = { dir: "auto", lang: poll.language };
  const prefix = number ? `q${number + 1}-` : "";
  const section = make("section", { "aria-labelledby": `${prefix}question` });
  const heading = make("h2", { id: `${prefix}question`, class: "question", ...own }, poll.questions[number].question);
  const few = make("p", { class: "few" });
  const figure = make("figure");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const caption = make("figcaption", { id: `${prefix}caption`, class: "quiet" });
  for (const [name, value] of [["id", `${prefix}chart`], ["class", "chart"], ["role", "img"], ["aria-labelledby", caption.id]]) {
    svg.setAttribute(name, value);
  }
  figure.append(svg, caption);
  const wide = make("div", { class: "wide", tabindex: "0", role: "region", "aria-labelledby": `${prefix}table-caption` });
  const table = make("table");
  const isMean = poll.questions[number].kind === "number";
  const head = make("tr");
  const names = isMean ? ["table.estimate", "table.value"] : ["table.answer", "table.share"];
  for (const name of [...names, "table.least", "table.most"]) head.append(make("th", { scope: "col" }, say(name)));
  const top = make("thead");
  const body = make("tbody");
  top.append(head);
  table.append(make("caption", { id: `${prefix}table-caption` }, say(isMean ? "table.mean" : "table.shares")), top, body);
  wide.append(table);
  const reading = make("p");
  const forged = make("p", { id: `${prefix}poisoning` });
  const read = make("details");
  read.append(make("summary", {}, say("read.heading")), reading);
  const malice = make("details");
  malice.append(make("summary", {}, say("forged.heading")), forged);
  const save = make("button", { type: "button", class: "plain small" }, say("chart.save"));
  save.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([standalone(svg)], { type: "image/svg+xml" }));
    const link = make("a", { href: address, download: `chart-${number + 1}.svg` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  });
  section.append(heading, few, figure, save, wide, read, malice);
  const turned = document.documentElement.dir === "rtl";
  let shown = null;
  const redraw = () => shown && chart(svg, shown);
  addEventListener("resize", redraw);
  const write = (found, reports) => {
    section.hidden = found.mean === null && found.shares.length === 0;
    if (section.hidden) return;
    const lacking = Math.max(0, found.needed - reports);
    shown = { ...rowsOf(found, say), few: lacking > 0, turned };
    const { mean } = found;
    const width = mean === null ? say("points", { number: 10 }) : shown.written((mean.high - mean.low) / 10);
    few.textContent = lacking ? say("results.few", { more: lacking.toLocaleString("en"), width }) : "";
    caption.textContent = say(lacking ? "chart.caption.lines" : "chart.caption.bars");
    body.textContent = "";
    for (const { name, value, lower, upper } of shown.rows) {
      const row = make("tr");
      const cell = (tag, attributes, inside) => {
        const made = make(tag, attributes);
        made.append(inside);
        row.append(made);
      };
      cell("th", { scope: "row" }, make("bdi", isMean ? {} : { lang: poll.language }, name));
      for (const [one, end] of [[value, 0], [lower, -1], [upper, 1]]) {
        cell("td", {}, make("bdi", { dir: "ltr" }, shown.written(one, false, end)));
      }
      body.append(row);
    }
    reading.textContent = found.reading;
    forged.textContent = found.poisoning.text;
    redraw();
  };
  return { section, write };
}
