// Differential privacy to play with: the mathematics, the draws, and the six pictures of the page.
//
// The mathematics is in doubles, written so that no digits cancel; tests compare it with discreet's
// own. The draws are for play: they show what noise looks like, and protect nobody.

// ------------------------------------------------------------------ the noise of counts

/** P[noise = k] of integer Laplace noise: (1 - q)/(1 + q)·q^|k| with q = e^(-1/scale). */
export function laplacePoint(scale, k) {
  return Math.tanh(0.5 / scale) * Math.exp(-Math.abs(k) / scale);
}

/** P[noise ≥ k]. */
export function laplaceTail(scale, k) {
  if (k < 1) return 1 - laplaceTail(scale, 1 - k);
  return Math.exp(-k / scale) / (1 + Math.exp(-1 / scale));
}

export function laplaceVariance(scale) {
  return 0.5 / Math.sinh(0.5 / scale) ** 2;
}

/** The least a with P[|noise| ≤ a] ≥ level. */
export function laplaceReach(scale, level) {
  const missed = (a) => 2 * laplaceTail(scale, a + 1);
  let reach = Math.max(0, Math.ceil(scale * Math.log(2 / ((1 + Math.exp(-1 / scale)) * (1 - level)))) - 1);
  while (reach > 0 && missed(reach - 1) <= 1 - level) reach -= 1;
  while (missed(reach) > 1 - level) reach += 1;
  return reach;
}

const weights = new Map();

/** P[noise = 0], P[noise ≥ 1], P[noise ≥ 2], … of integer Gaussian noise, summed from the far end. */
function gaussianTable(sigma) {
  if (!weights.has(sigma)) {
    const weight = (k) => Math.exp(-((k / sigma) ** 2) / 2);
    const tails = [];
    let sum = 0;
    for (let k = Math.ceil(39 * sigma) + 1; k > 0; k -= 1) tails[k] = sum += weight(k);
    const whole = 1 + 2 * sum;
    if (weights.size > 64) weights.clear();
    weights.set(sigma, { peak: 1 / whole, tails: tails.map((tail) => tail / whole) });
  }
  return weights.get(sigma);
}

/** P[noise = k] of integer Gaussian noise: in proportion to e^(-k²/2σ²). */
export function gaussianPoint(sigma, k) {
  return gaussianTable(sigma).peak * Math.exp(-((k / sigma) ** 2) / 2);
}

/** P[noise ≥ k]. */
export function gaussianTail(sigma, k) {
  if (k < 1) return 1 - gaussianTail(sigma, 1 - k);
  return gaussianTable(sigma).tails[k] ?? 0;
}

/** The least δ at which a count with this noise is (ε,δ)-private: Σ (P - e^ε·P')₊. */
export function gaussianDelta(sigma, epsilon) {
  const loss = (k) => (k - 0.5) / sigma ** 2;
  let sum = 0;
  for (let k = Math.ceil(39 * sigma) + 2; loss(k) > epsilon; k -= 1) {
    sum += gaussianPoint(sigma, k - 1) * -Math.expm1(epsilon - loss(k));
  }
  return sum;
}

/** A σ at which a count is (ε,δ)-private, and with a little less no longer. */
export function gaussianSigma(epsilon, delta) {
  let [low, high] = [0.05, 1];
  while (gaussianDelta(high, epsilon) > delta) [low, high] = [high, 2 * high];
  for (let round = 0; round < 60; round += 1) {
    const middle = (low + high) / 2;
    if (gaussianDelta(middle, epsilon) > delta) low = middle;
    else high = middle;
  }
  return high;
}

// ------------------------------------------------------------------ randomized response

/** The chance that a report is the truth. */
export function keepChance(epsilon) {
  return 1 / (1 + Math.exp(-epsilon));
}

/** The share of the truth for which this share of reports is expected. */
export function estimated(epsilon, share) {
  return 0.5 + (share - 0.5) / Math.tanh(epsilon / 2);
}

/** The standard deviation of that estimate. */
export function responseDeviation(epsilon, people) {
  return 0.5 / (Math.sinh(epsilon / 2) * Math.sqrt(people));
}

// ------------------------------------------------------------------ sensitivity

export function clipped(value, bound) {
  return Math.min(Math.max(value, 0), bound);
}

/** What a row adds to an answer: 1 to a count of those at `least` or more, or itself up to `bound`. */
export function contribution(question, value) {
  return question.sum ? clipped(value, question.bound) : Number(value >= question.least);
}

/** What one row can add at most. */
export function sensitivity(question) {
  return question.sum ? question.bound : 1;
}

// ------------------------------------------------------------------ composition

/** The ε at δ of ρ-zCDP: the least ρα + ln(1/(αδ))/(α - 1) + ln(1 - 1/α) over the orders α > 1. */
export function concentratedEpsilon(rho, delta) {
  if (rho === 0) return 0;
  const bound = (power) => {
    const above = Math.exp(power); // α - 1
    const order = 1 + above;
    return rho * order - Math.log(order * delta) / above + Math.log(above / order);
  };
  const golden = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [-14, 28];
  for (let round = 0; round < 90; round += 1) {
    const [left, right] = [high - golden * (high - low), low + golden * (high - low)];
    if (bound(left) <= bound(right)) high = right;
    else low = left;
  }
  return Math.max(0, bound((low + high) / 2));
}

/** The ρ of ε-DP: ε·tanh(ε/2). */
export function pureRho(epsilon) {
  return epsilon * Math.tanh(epsilon / 2);
}

/** The least total ε at δ of `count` answers that are ε-private each.
 *
 * The worst case is randomized response: with i lies the loss is (count - 2i)·ε, and the δ that is
 * left at a total ε' is a sum over the numbers of lies whose loss is above ε'.
 */
export function optimalEpsilon(epsilon, count, delta) {
  const decay = -2 * epsilon;
  const missing = -Math.expm1(decay);
  let logarithm = -count * Math.log1p(Math.exp(-epsilon));
  let chance = Math.exp(logarithm); // of i lies
  let [first, second, excess] = [chance, chance, 0]; // the excess is the δ at the loss with i lies
  for (let lies = 0; ; lies += 1) {
    const loss = (count - 2 * lies) * epsilon;
    const next = excess + second * missing;
    if (next > delta || 2 * (lies + 1) > count) {
      const least = Math.max(0, loss - 2 * epsilon);
      if (first <= delta) return least;
      return Math.min(loss, Math.max(least, loss + Math.log1p((excess - delta) / second)));
    }
    logarithm += Math.log((count - lies) / (lies + 1)) - epsilon;
    chance = Math.exp(logarithm);
    [first, second, excess] = [first + chance, second * Math.exp(decay) + chance, next];
  }
}

// ------------------------------------------------------------------ the attacker

/** The corners (false alarms, detections) of the best attacks that (ε,δ) allows. */
export function regionCorners(epsilon, delta) {
  const decay = Math.exp(-epsilon);
  const middle = ((1 - delta) * decay) / (1 + decay);
  return [[0, delta], [middle, 1 - middle], [1 - delta, 1], [1, 1]];
}

/** The chance to be right, of one who says "in" at these rates and believes in it so much before. */
export function success(prior, [alarms, detections]) {
  return prior * detections + (1 - prior) * (1 - alarms);
}

/** The largest chance to be right that (ε,δ) allows. */
export function mostSuccess(prior, epsilon, delta) {
  return Math.max(...regionCorners(epsilon, delta).map((corner) => success(prior, corner)));
}

/** What is believed after an answer that is so many times as likely if it is true. */
export function posterior(prior, ratio) {
  return (prior * ratio) / (prior * ratio + 1 - prior);
}

// ------------------------------------------------------------------ report noisy max

/** The chance of each score to be the largest after exponential noise of this scale.
 *
 * P(i) = w·∫₀¹ Π (1 - v·x) dx over the others' v, where w and v are e^(-lag/scale): the law of
 * permute-and-flip.
 */
export function winnerChances(scores, scale) {
  const best = Math.max(...scores);
  const held = scores.map((score) => Math.exp((score - best) / scale));
  return held.map((own, place) => {
    let product = [1];
    held.forEach((other, at) => {
      if (at === place) return;
      product = [...product, 0].map((term, power) => term - other * (product[power - 1] ?? 0));
    });
    return own * product.reduce((sum, term, power) => sum + term / (power + 1), 0);
  });
}

// ------------------------------------------------------------------ draws, for play

/** A number between 0 and 1, by the browser's cryptographic generator. */
export function uniform() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 5) * 2 ** 26 + (low >>> 6) + 0.5) / 2 ** 53;
}

export function drawExponential(scale) {
  return -scale * Math.log(uniform());
}

/** Integer Laplace noise: the difference of two geometric numbers. */
export function drawLaplace(scale) {
  return Math.floor(drawExponential(scale)) - Math.floor(drawExponential(scale));
}

export function shuffled(values) {
  const order = [...values];
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(uniform() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}

// ------------------------------------------------------------------ words and numbers

const at = (id) => document.getElementById(id);

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A factor times a power of ten. */
function scientific(factor, power) {
  const raised = [...String(Math.abs(power))].map((digit) => SUPERSCRIPT[digit]).join("");
  return `${Number(factor) === 1 ? "" : `${Number(factor)} · `}10${power < 0 ? "⁻" : ""}${raised}`;
}

/** A number with so many digits; a small or large one as a power of ten. */
export function written(value, digits = 3) {
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e6)) {
    const [factor, power] = value.toExponential(digits - 1).split("e");
    return scientific(factor, Number(power));
  }
  const shown = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value.toLocaleString("en", { maximumFractionDigits: Math.min(shown, 6) });
}

/** e to this power, also where that is beyond the doubles. */
export function writtenExp(logarithm) {
  if (Math.abs(logarithm) < 600) return written(Math.exp(logarithm));
  const tens = logarithm / Math.LN10;
  const power = Math.floor(tens);
  return scientific((10 ** (tens - power)).toPrecision(3), power);
}

/** A share of a whole in percent. */
export function percent(share) {
  const shown = share > 0.0005 && share < 0.9995 ? 1 : 3;
  return `${(100 * share).toLocaleString("en", { maximumFractionDigits: shown })}%`;
}

/** A text of the page with its gaps filled in. */
function said(id, name, values) {
  return at(id).dataset[name].replace(/\{(\w+)\}/g, (_, gap) => values[gap]);
}

function tell(values) {
  for (const [id, text] of Object.entries(values)) at(id).textContent = text;
}

// ------------------------------------------------------------------ controls

/** A slider: its value is one of its stops, or the number at which it stands. */
function slider(id) {
  const input = at(id);
  const stops = input.dataset.values.split(" ").filter(Boolean).map(Number);
  const value = () => (stops.length ? stops[input.valueAsNumber] : input.valueAsNumber);
  const show = () => {
    const text = `${written(value(), 4)}${input.dataset.unit}`;
    at(`${id}-value`).textContent = text;
    input.setAttribute("aria-valuetext", text);
  };
  input.addEventListener("input", show);
  show();
  return { input, value, move: (to) => {
    if (input.valueAsNumber === to) return;
    input.valueAsNumber = to;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  } };
}

/** Whether one of several ways is chosen. */
const way = (id) => () => at(id).checked;

// ------------------------------------------------------------------ drawing

const SVG = "http://www.w3.org/2000/svg";

function part(tag, attributes, text = "") {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, typeof value === "number" ? String(Math.round(value * 100) / 100) : value);
  }
  made.textContent = text;
  return made;
}

const line = (kind, x1, y1, x2, y2) => part("line", { class: kind, x1, y1, x2, y2 });
const label = (kind, x, y, text) => part("text", { class: kind, x, y }, text);
const box = (kind, x, y, width, height, rx = 0) =>
  part("rect", { class: kind, x, y, width: Math.max(0, width), height: Math.max(0, height), rx });
const dot = (kind, cx, cy, r) => part("circle", { class: kind, cx, cy, r });
const path = (kind, points) => part("path", {
  class: kind,
  d: points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join(""),
});

/** Put a picture of this height into its place, as wide as that is. */
function show(id, height, parts) {
  const picture = at(id);
  picture.setAttribute("viewBox", `0 0 ${width(id)} ${height}`);
  picture.replaceChildren(...parts);
}

const width = (id) => at(id).clientWidth || 320;

/** The numbers of a scale from 0 to at least `most`: 1, 2 or 5 times a power of ten apart. */
export function marks(most, wanted = 4) {
  const rough = most / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999999) * power;
  return Array.from({ length: Math.floor(most / step + 1.000001) }, (_, place) => place * step);
}

// ------------------------------------------------------------------ 1: two laws

function laws() {
  const [epsilon, answer] = [slider("laws-epsilon"), slider("laws-answer")];
  const gaussian = way("laws-gaussian");
  const picture = at("laws-picture");
  const [first, last] = [Number(answer.input.min), Number(answer.input.max)];
  const LEFT = 8;
  const band = () => (width("laws-picture") - 2 * LEFT) / (last - first + 1);

  const choose = (event) => {
    if (event.buttons === 0) return;
    const across = event.clientX - picture.getBoundingClientRect().left - LEFT;
    answer.move(Math.min(last, Math.max(first, first + Math.floor(across / band()))));
  };
  picture.addEventListener("pointerdown", choose);
  picture.addEventListener("pointermove", choose);

  return () => {
    const [loss, k] = [epsilon.value(), answer.value()];
    const scale = 1 / loss;
    const sigma = Math.sqrt(laplaceVariance(scale));
    const chance = (center, outcome) =>
      gaussian() ? gaussianPoint(sigma, outcome - center) : laplacePoint(scale, outcome - center);
    const logRatio = (outcome) => gaussian()
      ? (outcome - 100.5) / sigma ** 2
      : (Math.abs(outcome - 100) - Math.abs(outcome - 101)) * loss;
    const words = picture.dataset;
    const [wide, step] = [width("laws-picture"), band()];
    const [TOP, BASE, UPPER, LOWER] = [22, 190, 232, 322];
    const x = (outcome) => LEFT + (outcome - first) * step;
    const peak = chance(100, 100) * 1.04;
    const y = (probability) => BASE - (probability / peak) * (BASE - TOP);
    const middle = (UPPER + LOWER) / 2;
    const height = (ratio) => middle - (ratio / (2 * loss)) * (LOWER - UPPER) / 2;
    const parts = [
      box("here", x(k), TOP - 8, step, LOWER - TOP + 16, 3),
      label("note", LEFT, 12, words.likely),
      line("axis", LEFT, BASE, wide - LEFT, BASE),
      label("note", LEFT, UPPER - 8, words.ratio),
      line("grid", LEFT, middle, wide - LEFT, middle),
      line("limit", LEFT, height(loss), wide - LEFT, height(loss)),
      line("limit", LEFT, height(-loss), wide - LEFT, height(-loss)),
      label("mark end", wide - LEFT, height(loss) - 9, `e^ε = ${written(Math.exp(loss))}`),
      label("mark end", wide - LEFT, height(-loss) + 18, `1/e^ε = ${written(Math.exp(-loss))}`),
    ];
    for (let outcome = first; outcome <= last; outcome += 1) {
      const part = step * 0.4;
      const [one, other] = [y(chance(101, outcome)), y(chance(100, outcome))];
      parts.push(
        box("first", x(outcome) + step * 0.08, one, part, BASE - one),
        box("second", x(outcome) + step * 0.08 + part, other, part, BASE - other),
      );
      const place = height(logRatio(outcome));
      const inside = Math.min(LOWER, Math.max(UPPER, place));
      if (outcome === k) parts.push(dot("point", x(outcome) + step / 2, inside, 5));
      else if (place === inside) parts.push(dot("small", x(outcome) + step / 2, place, 2.5));
      if (outcome % 5 === 0) parts.push(label("mark middle", x(outcome) + step / 2, BASE + 15, String(outcome)));
    }
    const right = wide - LEFT;
    parts.push(
      box("first", right - 96, TOP - 2, 10, 10), label("mark", right - 82, TOP + 7, words.with),
      box("second", right - 96, TOP + 16, 10, 10), label("mark", right - 82, TOP + 25, words.without),
    );
    show("laws-picture", 340, parts);

    const log = logRatio(k);
    const likely = (probability) => (probability ? written(probability) : "< 10⁻³⁰⁰");
    const values = {
      answer: k,
      ratio: writtenExp(Math.abs(log)),
      epsilon: written(loss),
      bound: written(Math.exp(loss)),
      sigma: written(sigma),
      delta: gaussian() ? written(gaussianDelta(sigma, loss)) : "",
    };
    tell({
      "laws-with": likely(chance(101, k)),
      "laws-without": likely(chance(100, k)),
      "laws-ratio": writtenExp(log),
      "laws-bound": written(Math.exp(loss)),
      "laws-said": said("laws-said", log >= 0 ? "more" : "less", values) +
        (gaussian() ? said("laws-said", "beyond", values) : ""),
    });
  };
}

// ------------------------------------------------------------------ 2: randomized response

function response() {
  const epsilon = slider("response-epsilon");
  const people = slider("response-people");
  const share = slider("response-share");
  let crowd = [];

  const ask = () => {
    const number = people.value();
    const yes = Math.round((number * share.value()) / 100);
    // The coins are kept, so that another ε turns no more of them than it has to.
    crowd = shuffled(Array.from({ length: number }, (_, place) => place < yes))
      .map((truth) => ({ truth, coin: uniform() }));
  };
  for (const one of [people, share]) one.input.addEventListener("input", ask);
  ask();
  at("response-again").addEventListener("click", () => {
    ask();
    draw();
  });

  const draw = () => {
    const [loss, number, open] = [epsilon.value(), crowd.length, at("response-truth").checked];
    const keep = keepChance(loss);
    const reports = crowd.map(({ truth, coin }) => (coin < keep ? truth : !truth));
    const reported = reports.filter(Boolean).length / number;
    const truth = crowd.filter((one) => one.truth).length / number;
    const estimate = estimated(loss, reported);
    const margin = 1.96 * responseDeviation(loss, number);
    const lies = crowd.filter(({ coin }) => coin >= keep).length;

    const words = at("response-picture").dataset;
    const wide = width("response-picture");
    const CROWD = wide < 480 ? 260 : 300;
    const columns = Math.ceil(Math.sqrt((number * wide) / CROWD));
    const gap = Math.min(wide / columns, CROWD / Math.ceil(number / columns));
    const left = (wide - gap * columns) / 2;
    const parts = crowd.map(({ coin }, place) => {
      const lied = open && coin >= keep;
      return dot(
        `${reports[place] ? "yes" : "no"}${lied ? " lie" : ""}`,
        left + gap * (0.5 + (place % columns)),
        gap * (0.5 + Math.floor(place / columns)),
        gap * (lied ? 0.3 : 0.34),
      );
    });
    const x = (value) => 10 + Math.min(1.04, Math.max(-0.04, value)) * (wide - 20) / 1.08 + 0.04 * (wide - 20) / 1.08;
    const axis = CROWD + 62;
    parts.push(line("axis", x(0), axis, x(1), axis));
    for (const mark of [0, 0.25, 0.5, 0.75, 1]) {
      parts.push(line("axis", x(mark), axis, x(mark), axis + 5), label("mark middle", x(mark), axis + 19, `${mark * 100}%`));
    }
    const sides = (value) => (value > 0.8 ? "end" : value < 0.2 ? "start" : "middle");
    // Where the truth is shown too, the two names stand apart.
    const apart = !open ? sides(estimate)
      : estimate <= truth && x(estimate) > 90 ? "end"
      : estimate > truth && x(estimate) < wide - 90 ? "start"
      : sides(estimate);
    parts.push(
      box("band", x(estimate - margin), axis - 12, x(estimate + margin) - x(estimate - margin), 12),
      line("pin", x(estimate), axis - 16, x(estimate), axis),
      label(`name ${apart}`, x(estimate), axis - 21, words.estimate),
      dot("reported", x(reported), axis, 5),
      label(`mark ${sides(reported)}`, x(reported), axis + 36, words.reports),
    );
    if (open) {
      parts.push(
        line("lie", x(truth), axis - 36, x(truth), axis + 8),
        label(`name ${sides(truth)}`, x(truth), axis - 41, words.truth),
      );
    }
    show("response-picture", CROWD + 106, parts);

    const values = {
      yes: Math.round(reported * number).toLocaleString("en"),
      people: number.toLocaleString("en"),
      estimate: percent(estimate),
      margin: percent(margin),
      lies: lies.toLocaleString("en"),
      truth: percent(truth),
      error: written(100 * Math.abs(estimate - truth), 2),
      points: written(100 * margin, 2),
    };
    tell({
      "response-keep": percent(keep),
      "response-reports": percent(reported),
      "response-estimate": percent(estimate),
      "response-true": open ? percent(truth) : at("response-said").dataset.concealed,
      "response-said": said("response-said", open ? "shown" : "hidden", values),
    });
  };
  return draw;
}

// ------------------------------------------------------------------ 3: sensitivity

function bounded() {
  const value = slider("sensitivity-value");
  const bound = slider("sensitivity-bound");
  const epsilon = slider("sensitivity-epsilon");
  const sum = way("sensitivity-sum");
  const words = at("sensitivity-picture").dataset;
  const names = words.people.split(" ");
  const others = words.days.split(" ").map(Number);
  const MOST = Number(value.input.max);

  return () => {
    const question = { sum: sum(), bound: bound.value(), least: 3 };
    at("sensitivity-bound").disabled = !question.sum;
    const days = [value.value(), ...others];
    const added = days.map((one) => contribution(question, one));
    const answer = added.reduce((total, one) => total + one, 0);
    const [moved, most] = [added[0], sensitivity(question)];
    const scale = most / epsilon.value();
    const reach = laplaceReach(scale, 0.95);

    const wide = width("sensitivity-picture");
    const [LEFT, ROW, TOP] = [44, 24, 26];
    const x = (one) => LEFT + (one / MOST) * (wide - LEFT - 34);
    const bottom = TOP + names.length * ROW;
    const limit = question.sum ? question.bound : question.least;
    const limitText = words[question.sum ? "bound" : "least"].replace(/\{\w+\}/, limit);
    const parts = names.flatMap((name, place) => {
      const y = TOP + place * ROW;
      const counted = question.sum ? added[place] : added[place] * days[place];
      const kind = place === 0 ? "second" : "first";
      return [
        label(place === 0 ? "name end" : "mark end", LEFT - 8, y + 15, name),
        box("cut", x(0), y + 4, x(days[place]) - x(0), ROW - 9, 2),
        box(kind, x(0), y + 4, x(counted) - x(0), ROW - 9, 2),
        label("mark", x(days[place]) + 6, y + 15, String(days[place])),
      ];
    });
    parts.push(
      line("limit", x(limit), TOP - 6, x(limit), bottom),
      label(`mark ${x(limit) > wide - 90 ? "end" : "start"}`, x(limit) + (x(limit) > wide - 90 ? -5 : 5), TOP - 9, limitText),
    );

    // The answer on a scale of its own: what Ada moves beside what the noise moves.
    const without = answer - moved;
    const [low, high] = [Math.min(without, answer - reach), Math.max(without + most, answer + reach)];
    const room = (high - low) * 0.06 + 1;
    const across = (one) => 10 + ((one - low + room) / (high - low + 2 * room)) * (wide - 20);
    const inside = (place) => Math.max(72, Math.min(wide - 72, place));
    const axis = bottom + 74;
    parts.push(
      box("noise", across(answer - reach), axis - 28, across(answer + reach) - across(answer - reach), 14, 2),
      label("mark middle", inside(across(answer)), axis - 34, words.noise),
      line("axis", 10, axis, wide - 10, axis),
      box("second", across(without), axis - 5, Math.max(1.5, across(answer) - across(without)), 5),
      line("quiet", across(without), axis - 12, across(without), axis + 8),
      line("pin", across(answer), axis - 30, across(answer), axis + 8),
    );
    parts.push(
      label("name middle", inside(across(answer)), axis + 22, `${words.with} ${answer}`),
      label("mark middle", inside(across(without)), axis + 38, `${words.without} ${without}`),
    );
    show("sensitivity-picture", axis + 46, parts);

    const whole = days.reduce((total, one) => total + one, 0);
    const values = { scale: written(scale), reach: written(reach), most, lost: whole - answer, whole };
    tell({
      "sensitivity-answer": String(answer),
      "sensitivity-moved": String(moved),
      "sensitivity-most": String(most),
      "sensitivity-scale": written(scale),
      "sensitivity-said": said("sensitivity-said", question.sum ? "sum" : "count", values),
    });
  };
}

// ------------------------------------------------------------------ 4: composition

function composition() {
  const epsilon = slider("composition-epsilon");
  const count = slider("composition-count");
  const delta = slider("composition-delta");
  const shared = way("composition-all");
  const TRUTH = 100;
  let coins = [];

  const ask = () => {
    const most = Number(count.input.dataset.values.split(" ").at(-1));
    coins = Array.from({ length: most }, () => [drawExponential(1), drawExponential(1)]);
  };
  ask();
  at("composition-again").addEventListener("click", () => {
    ask();
    draw();
  });

  const draw = () => {
    const [number, slack] = [count.value(), delta.value()];
    const each = shared() ? epsilon.value() / number : epsilon.value();
    const totals = (questions) => ({
      basic: questions * each,
      concentrated: concentratedEpsilon(questions * pureRho(each), slack),
      optimal: optimalEpsilon(each, questions, slack),
    });
    const last = totals(number);
    growth(number, totals, last);
    const scale = 1 / each;
    const average = attack(number, scale);
    const best = Math.min(last.basic, last.optimal);
    const values = {
      each: written(each),
      count: number.toLocaleString("en"),
      total: written(last.basic),
      best: written(best),
      delta: written(slack, 1),
      average: written(average, 4),
      alone: written(laplaceReach(1 / epsilon.value(), 0.95)),
    };
    tell({
      "composition-basic": written(last.basic),
      "composition-concentrated": written(last.concentrated),
      "composition-optimal": written(last.optimal),
      "composition-margin": `± ${written(1.96 * Math.sqrt(laplaceVariance(scale) / number))}`,
      "composition-said": said("composition-said", number === 1 ? "one" : "many", values) +
        said("composition-said", "attack", values) +
        (shared() && number > 1 ? said("composition-said", "alone", values) : ""),
    });
  };

  const growth = (number, totals, last) => {
    const words = at("composition-picture").dataset;
    const wide = width("composition-picture");
    const [LEFT, RIGHT, TOP, BASE] = [42, 12, 48, 230];
    const steps = Math.min(number, 60);
    const places = Array.from({ length: steps }, (_, place) => Math.round(((place + 1) * number) / steps));
    const found = places.map((questions) => [questions, totals(questions)]);
    const most = Math.max(last.basic, Math.min(last.concentrated, 1.6 * last.basic)) * 1.05;
    const x = (questions) => LEFT + (questions / number) * (wide - LEFT - RIGHT);
    const y = (loss) => BASE - (loss / most) * (BASE - TOP);
    const parts = marks(most).flatMap((mark) => [
      line("grid", LEFT, y(mark), wide - RIGHT, y(mark)),
      label("mark end", LEFT - 6, y(mark) + 4, written(mark)),
    ]);
    parts.push(
      label("note", LEFT, TOP - 9, words.total),
      label("mark end", wide - RIGHT, BASE + 34, words.questions),
      label("mark middle", x(0), BASE + 17, "0"),
      label("mark end", wide - RIGHT, BASE + 17, number.toLocaleString("en")),
    );
    const kinds = [["basic", "quiet"], ["concentrated", "second-line"], ["optimal", "first-line"]];
    let legend = wide - RIGHT;
    for (const [name, kind] of [...kinds].reverse()) {
      const long = words[name].length * 7.4 + 34;
      legend -= long;
      parts.push(line(kind, legend, 12, legend + 16, 12), label("mark", legend + 21, 16, words[name]));
    }
    for (const [name, kind] of kinds) {
      const reached = found.filter(([, total]) => total[name] <= most);
      const points = reached.map(([questions, total]) => [x(questions), y(total[name])]);
      if (name !== "concentrated" && points.length) points.unshift([x(0), y(0)]);
      if (points.length) parts.push(path(kind, points));
    }
    show("composition-picture", BASE + 42, parts);
  };

  const attack = (number, scale) => {
    const words = at("composition-attack").dataset;
    const wide = width("composition-attack");
    const answers = coins.slice(0, number)
      .map(([one, other]) => TRUTH + Math.floor(scale * one) - Math.floor(scale * other));
    let sum = 0;
    const averages = answers.map((answer, place) => (sum += answer) / (place + 1));
    const deviation = Math.sqrt(laplaceVariance(scale));
    const most = 3.2 * deviation;
    const shown = [-1, 1].map((side) => Math.round(TRUTH + side * 2.4 * deviation));
    const long = Math.max(...shown.map((answer) => answer.toLocaleString("en").length));
    const [LEFT, RIGHT, TOP, BASE] = [Math.max(42, 14 + 8 * long), 12, 14, 190];
    const x = (questions) =>
      LEFT + (number === 1 ? 0.5 : Math.log(questions) / Math.log(number)) * (wide - LEFT - RIGHT);
    const y = (answer) => {
      const place = (TOP + BASE) / 2 - ((answer - TRUTH) / most) * (BASE - TOP) / 2;
      return Math.min(BASE, Math.max(TOP, place));
    };
    const around = answers.map((_, place) => 1.96 * deviation / Math.sqrt(place + 1));
    const upper = around.map((margin, place) => [x(place + 1), y(TRUTH + margin)]);
    const lower = around.map((margin, place) => [x(place + 1), y(TRUTH - margin)]);
    const parts = [
      path("band", [...upper, ...lower.reverse()]),
      line("grid", LEFT, y(TRUTH), wide - RIGHT, y(TRUTH)),
      label("mark end", LEFT - 6, y(TRUTH) + 4, "100"),
      ...shown.map((answer) => label("mark end", LEFT - 6, y(answer) + 4, answer.toLocaleString("en"))),
      ...answers.map((answer, place) => dot("answer", x(place + 1), y(answer), 2)),
      path("first-line", averages.map((average, place) => [x(place + 1), y(average)])),
      dot("point", x(number), y(averages.at(-1)), 5),
      label("mark end", wide - RIGHT, BASE + 34, words.questions),
    ];
    for (let power = 1; power <= number; power *= 10) {
      parts.push(label(power === 1 && number > 1 ? "mark start" : power === number ? "mark end" : "mark middle", x(power), BASE + 17, power.toLocaleString("en")));
    }
    show("composition-attack", BASE + 42, parts);
    return averages.at(-1);
  };
  return draw;
}

// ------------------------------------------------------------------ 5: the attacker

function attacker() {
  const epsilon = slider("attacker-epsilon");
  const delta = slider("attacker-delta");
  const threshold = slider("attacker-threshold");
  const prior = slider("attacker-prior");

  return () => {
    const [loss, slack, belief] = [epsilon.value(), delta.value(), prior.value() / 100];
    const size = slack === 0 ? 1 / loss : gaussianSigma(loss, slack);
    const tail = (k) => (slack === 0 ? laplaceTail(size, k) : gaussianTail(size, k));
    const rates = (least) => [tail(least - 100), tail(least - 101)];
    const own = rates(threshold.value());

    const words = at("attacker-picture").dataset;
    const wide = width("attacker-picture");
    const [LEFT, TOP] = [44, 12];
    const side = wide - LEFT - 24;
    const place = ([alarms, detections]) => [LEFT + alarms * side, TOP + (1 - detections) * side];
    const upper = regionCorners(loss, slack).map(place);
    const lower = regionCorners(loss, slack).map(([one, other]) => place([1 - one, 1 - other]));
    const reach = Math.ceil(12 * size) + 12;
    const curve = Array.from({ length: 2 * reach }, (_, step) => place(rates(101 + reach - step)));
    const [x, y] = place(own);
    const parts = [
      ...[0, 0.25, 0.5, 0.75, 1].flatMap((mark) => {
        const [across, down] = place([mark, mark]);
        return [
          line("grid", LEFT, down, LEFT + side, down),
          line("grid", across, TOP, across, TOP + side),
          label("mark middle", across, TOP + side + 16, `${mark * 100}%`),
          label("mark end", LEFT - 5, down + 4, mark ? `${mark * 100}%` : ""),
        ];
      }),
      path("region", [...upper, ...lower, upper[0]]),
      path("dashed", [place([0, 0]), place([1, 1])]),
      path("first-line", [place([0, 0]), ...curve, place([1, 1])]),
      line("drop", x, y, x, TOP + side),
      line("drop", LEFT, y, x, y),
      dot("point", x, y, 6),
      label("mark end", LEFT + side - 4, TOP + side - 8, words.alarms),
      label("mark", LEFT + 6, TOP + 16, words.detections),
      label("mark", ...place([0.64, 0.56]), words.guess),
    ];
    show("attacker-picture", TOP + side + 26, parts);

    const right = success(belief, own);
    const most = mostSuccess(belief, loss, slack);
    const values = {
      scale: written(size),
      success: percent(right),
      guess: percent(Math.max(belief, 1 - belief)),
      prior: percent(belief),
      belief: percent(posterior(belief, Math.exp(loss))),
      most: percent(most),
    };
    tell({
      "attacker-alarms": percent(own[0]),
      "attacker-detections": percent(own[1]),
      "attacker-success": percent(right),
      "attacker-most": percent(most),
      "attacker-said": said("attacker-said", slack === 0 ? "pure" : "approximate", values),
    });
  };
}

// ------------------------------------------------------------------ 6: report noisy max

function winner() {
  const epsilon = slider("winner-epsilon");
  const votes = [0, 1, 2, 3].map((place) => slider(`winner-${place}`));
  const words = at("winner-picture").dataset;
  const names = words.names.split(" ");
  let noise = null;
  let won = names.map(() => 0);

  const scores = () => votes.map(({ value }) => value());
  const largest = (sums) => sums.indexOf(Math.max(...sums));
  const play = (draws) => {
    for (let left = draws; left > 0; left -= 1) {
      noise = names.map(() => drawExponential(1 / epsilon.value()));
      won[largest(scores().map((score, place) => score + noise[place]))] += 1;
    }
    draw();
  };
  for (const one of [epsilon, ...votes]) {
    one.input.addEventListener("input", () => {
      noise = null;
      won = names.map(() => 0);
    });
  }
  at("winner-once").addEventListener("click", () => play(1));
  at("winner-often").addEventListener("click", () => play(100));

  const draw = () => {
    const held = scores();
    const scale = 1 / epsilon.value();
    const chances = winnerChances(held, scale);
    const draws = won.reduce((sum, one) => sum + one, 0);
    const sums = held.map((score, place) => score + (noise ? noise[place] : 0));
    const told = noise ? largest(sums) : -1;
    const wide = width("winner-picture");
    const [ROW, TOP, RIGHT] = [64, 6, 118];
    const most = Math.max(40, ...sums) * 1.03;
    const x = (score) => 2 + (score / most) * (wide - RIGHT - 14);
    const parts = names.flatMap((name, place) => {
      const y = TOP + place * ROW;
      const right = wide - RIGHT;
      return [
        label(place === told ? "name" : "mark", 2, y + 15, `${name} ${held[place]}`),
        box("first", x(0), y + 22, x(held[place]) - x(0), 18, 2),
        ...(noise ? [box(place === told ? "second" : "noise", x(held[place]), y + 22, x(sums[place]) - x(held[place]), 18, 2)] : []),
        label("mark", right, y + 15, words.chance.replace("{chance}", percent(chances[place]))),
        box("cut", right, y + 22, RIGHT - 2, 8, 2),
        box("chance", right, y + 22, (RIGHT - 2) * chances[place], 8, 2),
        ...(draws
          ? [label("mark", right, y + 46, words.won.replace("{won}", won[place]).replace("{draws}", draws.toLocaleString("en")))]
          : []),
      ];
    });
    show("winner-picture", TOP + names.length * ROW, parts);

    const best = Math.max(...held);
    const first = held.flatMap((score, place) => (score === best ? [place] : []));
    const right = first.reduce((sum, place) => sum + chances[place], 0);
    const lag = held.reduce((sum, score, place) => sum + (best - score) * chances[place], 0);
    const values = {
      scale: written(scale),
      name: names[told],
      votes: held[told],
      noise: noise ? written(noise[told]) : "",
      draws: draws.toLocaleString("en"),
      right: first.reduce((sum, place) => sum + won[place], 0).toLocaleString("en"),
      expected: written(draws * right),
    };
    tell({
      "winner-largest": first.map((place) => names[place]).join(", "),
      "winner-told": names[told] ?? "–",
      "winner-right": percent(right),
      "winner-lag": written(lag),
      "winner-said": noise
        ? said("winner-said", "drawn", values) + (draws > 1 ? said("winner-said", "often", values) : "")
        : said("winner-said", "none", values),
    });
  };
  return draw;
}

// ------------------------------------------------------------------ the page

function start() {
  const sections = { laws, response, sensitivity: bounded, composition, attacker, winner };
  for (const [id, made] of Object.entries(sections)) {
    const draw = made();
    at(id).addEventListener("input", draw);
    let seen = 0;
    new ResizeObserver(() => {
      if (at(id).clientWidth === seen) return;
      seen = at(id).clientWidth;
      draw();
    }).observe(at(id));
    draw();
  }
}

if (globalThis.document) start();
