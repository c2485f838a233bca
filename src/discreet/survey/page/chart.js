// The chart of a question: bars with their intervals, or lines alone where reports are few.

const SVG = "http://www.w3.org/2000/svg";
const ROW = 46;
const TOP = 8;
const BOTTOM = 24;
const GAP = 12; // between a name and its number
const SHOWN = ["fill", "stroke", "stroke-width", "font-size", "font-family", "text-anchor", "paint-order"];

function draw(tag, attributes, text = "") {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = text;
  return made;
}

/** A round number that is at least this one. */
function above(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value * 0.999999) * power;
}

/** The letters of a text as a reader counts them: an emoji of several characters is never cut. */
function letters(text) {
  if (typeof Intl !== "object" || typeof Intl.Segmenter !== "function") return [...text];
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

/** Write a name as far as there is room for it, isolated from what stands around it. */
function fit(text, name, room) {
  const all = letters(name);
  const write = (count) =>
    (text.textContent = `\u2068${count < all.length ? `${all.slice(0, count).join("")}…` : name}\u2069`);
  let [some, over] = [1, all.length + 1]; // so many letters fit, and so many do not
  while (over - some > 1) {
    const middle = (some + over) >> 1;
    write(middle);
    if (text.getComputedTextLength() <= room) some = middle;
    else over = middle;
  }
  write(some);
}

/** Draw rows of { name, value, lower, upper } from `low` to at most `high`. */
export function chart(svg, { rows, low, high, written, few, turned }) {
  const width = svg.clientWidth || 640;
  const largest = Math.max(...rows.map(({ value, upper }) => Math.max(value, upper)));
  const end = Math.min(high, low === 0 ? above(Math.max(largest, high / 100)) : high);
  const across = (value) => Math.min(1, Math.max(0, (value - low) / (end - low))) * (width - 16) + 8;
  const place = (value) => (turned ? width - across(value) : across(value));
  const height = TOP + rows.length * ROW + BOTTOM;
  const count = width < 480 ? 2 : 4;
  const marks = Array.from({ length: count + 1 }, (_, n) => low + (n / count) * (end - low));
  const lines = marks.flatMap((mark, n) => {
    const x = place(mark);
    const anchor = n === 0 || n === count ? ((n === 0) === !turned ? "start" : "end") : "middle";
    return [
      draw("line", { class: "grid", x1: x, x2: x, y1: TOP, y2: height - BOTTOM }),
      draw("text", { class: `mark ${anchor}`, x, y: height - 8, direction: "ltr" }, written(mark, true)),
    ];
  });
  const bars = rows.flatMap(({ name, value, lower, upper }, n) => {
    const y = TOP + n * ROW + 22;
    const [first, last] = [place(lower), place(upper)];
    const zero = place(low);
    const line = (x1, x2, y1, y2) => draw("line", { class: "range", x1, x2, y1, y2 });
    return [
      draw("text", { class: `name ${turned ? "end" : "start"}`, x: zero, y: y - 6 }, name),
      draw(
        "text",
        { class: `value ${turned ? "start" : "end"}`, x: turned ? 8 : width - 8, y: y - 6, direction: "ltr" },
        few ? `${written(lower, false, -1)} – ${written(upper, false, 1)}` : written(value),
      ),
      ...(few
        ? []
        : [draw("rect", { class: "bar", x: Math.min(zero, place(value)), y, width: Math.abs(place(value) - zero), height: 14, rx: 2 })]),
      line(first, last, y + 7, y + 7),
      line(first, first, y + 2, y + 12),
      line(last, last, y + 2, y + 12),
    ];
  });
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.textContent = "";
  svg.append(...lines, ...bars);
  const values = svg.querySelectorAll(".value");
  svg.querySelectorAll(".name").forEach((text, n) => {
    fit(text, rows[n].name, width - 16 - GAP - values[n].getComputedTextLength());
  });
}

/** The chart as a file: with the looks that the page gives it. */
export function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [, , width, height] = svg.getAttribute("viewBox").split(" ");
  const parts = [...svg.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((part, n) => {
    const looks = getComputedStyle(parts[n]);
    for (const name of SHOWN) part.setAttribute(name, looks.getPropertyValue(name));
    part.removeAttribute("class");
  });
  for (const name of ["id", "class", "role", "aria-labelledby"]) copy.removeAttribute(name);
  const paper = getComputedStyle(document.body).backgroundColor;
  copy.insertBefore(draw("rect", { width, height, fill: paper }), copy.firstChild);
  for (const [name, value] of Object.entries({ xmlns: SVG, width, height })) copy.setAttribute(name, value);
  return new XMLSerializer().serializeToString(copy);
}
