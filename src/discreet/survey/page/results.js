// The estimates as a table and a chart, read again every two seconds.

const PAUSE = 2000;
const SVG = "http://www.w3.org/2000/svg";
const ROW = 44;
const TOP = 8;

const at = (id) => document.getElementById(id);
const percent = (share) => `${(100 * share).toFixed(1).replace("-", "−")}%`;

function make(tag, attributes = {}, text = "", space = null) {
  const made = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = text;
  return made;
}

const draw = (tag, attributes, text) => make(tag, attributes, text, SVG);

/** What is drawn and written: rows with a value and its interval, on an axis. */
function rowsOf({ shares, mean }) {
  if (mean === null) {
    const rows = shares.map(({ answer, share, ...rest }) => ({ name: answer, value: share, ...rest }));
    return { rows, low: 0, high: 1, written: percent, heading: "Share", what: "shares" };
  }
  const { low, high } = mean;
  const places = Math.max(0, 3 - Math.floor(Math.log10(high - low)));
  const written = (value) =>
    value.toLocaleString("en", { maximumFractionDigits: Math.min(20, places) }).replace("-", "−");
  return { rows: [{ name: "Mean", ...mean }], low, high, written, heading: "Value", what: "mean" };
}

/** Bars from the lower end with their 95% intervals; what lies outside of the axis is cut off. */
function chart({ rows, low, high, written }) {
  const width = at("chart").clientWidth || 640;
  const place = (value) =>
    Math.min(1, Math.max(0, (value - low) / (high - low))) * (width - 16) + 8;
  const most = Math.floor(width / 10); // letters that fit
  const height = TOP + rows.length * ROW + 24;
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) => low + share * (high - low));
  const lines = marks.flatMap((mark, n) => [
    draw("line", { class: "grid", x1: place(mark), x2: place(mark), y1: TOP, y2: height - 24 }),
    draw(
      "text",
      { class: `mark ${["start", "", "", "", "end"][n]}`, x: place(mark), y: height - 8 },
      written(mark).replace(".0%", "%"),
    ),
  ]);
  const bars = rows.flatMap(({ name, value, lower, upper }, n) => {
    const y = TOP + n * ROW + 20;
    return [
      draw("text", { class: "name", x: 8, y: y - 5 }, name.length > most ? `${name.slice(0, most - 1)}…` : name),
      draw("rect", { class: "bar", x: 8, y, width: place(value) - 8, height: 14, rx: 2 }),
      draw("line", { class: "range", x1: place(lower), x2: place(upper), y1: y + 7, y2: y + 7 }),
      draw("line", { class: "range", x1: place(lower), x2: place(lower), y1: y + 2, y2: y + 12 }),
      draw("line", { class: "range", x1: place(upper), x2: place(upper), y1: y + 2, y2: y + 12 }),
    ];
  });
  at("chart").setAttribute("viewBox", `0 0 ${width} ${height}`);
  at("chart").replaceChildren(...lines, ...bars);
}

function table({ rows, written, heading, what }) {
  at("name-heading").textContent = what === "mean" ? "Estimate" : "Answer";
  at("value-heading").textContent = heading;
  at("table-caption").textContent = `Estimated ${what} of the respondents`;
  at("rows").replaceChildren(
    ...rows.map(({ name, value, lower, upper }) => {
      const row = make("tr");
      row.append(make("th", { scope: "row" }, name));
      for (const number of [value, lower, upper]) row.append(make("td", {}, written(number)));
      return row;
    }),
  );
}

let shown = null;

addEventListener("resize", () => shown && chart(shown));

function write(results) {
  at("question").textContent = results.question;
  const number = results.reports.toLocaleString("en");
  const state = results.closed ? " The survey is closed." : "";
  const counted = `${number} ${results.reports === 1 ? "report" : "reports"}.${state}`;
  if (at("status").textContent !== counted) at("status").textContent = counted;
  const refused = Object.entries(results.refused).filter(([, count]) => count > 0);
  at("refused").textContent = refused.length
    ? refused.map(([reason, count]) => `${reason}: ${count.toLocaleString("en")}`).join("; ") + "."
    : "Nothing was refused.";
  at("results").hidden = results.reports === 0;
  if (results.reports === 0) return;
  shown = rowsOf(results);
  chart(shown);
  table(shown);
  const [low, high] = [shown.low, shown.high].map((end) => shown.written(end).replace(".0%", "%"));
  at("caption").textContent =
    `Estimated ${shown.what}. Thin lines are 95% intervals, cut off at ${low} and ${high}.`;
  at("reading").textContent = results.reading;
  at("poisoning").textContent = results.poisoning.text;
}

async function refresh() {
  try {
    const response = await fetch("api/results", { cache: "no-store", credentials: "omit" });
    if (!response.ok) throw new Error();
    write(await response.json());
  } catch {
    at("status").textContent = "The collector does not answer. Trying again.";
  }
  setTimeout(refresh, PAUSE);
}

refresh();
