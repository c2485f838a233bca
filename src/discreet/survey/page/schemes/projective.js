// One of many public lists of answers is named, mostly one that holds the true answer.

import {
  WHOLE,
  below,
  codeOfAnswer,
  happens,
  insist,
  readChance,
  readCount,
  readNames,
} from "../randomizer.js";
import { listed, often } from "../texts.js";

const MOST_VECTORS = 1n << 24n;

function isPrime(number) {
  if (number < 2n || number > 1n << 24n) return false;
  for (let at = 2n; at * at <= number; at += 1n) if (number % at === 0n) return false;
  return true;
}

/** How many points a projective space of this dimension has. */
function points(prime, dimension) {
  return (prime ** dimension - 1n) / (prime - 1n);
}

/** The last digits of a number, the most significant first. */
function digits(prime, count, number) {
  const found = [];
  for (let at = 0n; at < count; at += 1n, number /= prime) found.unshift(number % prime);
  return found;
}

/** The vector of a point. Its first digit other than 0 is 1; points are in the order of the
 * numbers whose digits these are. */
function vector(prime, dimension, point) {
  let power = 1n; // of the numbers that begin with 1 at this digit, there are as many
  for (; point >= power; power *= prime) point -= power;
  return digits(prime, dimension, power + point);
}

/** The point on which a vector other than 0 lies. */
function pointOf(prime, vector) {
  const place = vector.findIndex((digit) => digit !== 0n);
  const factor = inverse(vector[place], prime);
  const number = vector.reduce((sum, digit) => sum * prime + ((digit * factor) % prime), 0n);
  const power = prime ** BigInt(vector.length - 1 - place);
  return number - power + (power - 1n) / (prime - 1n);
}

function modulo(number, prime) {
  return ((number % prime) + prime) % prime;
}

/** By Fermat: digit^(prime - 2). */
function inverse(digit, prime) {
  let found = 1n;
  for (let left = prime - 2n, power = digit; left > 0n; left >>= 1n, power = (power * power) % prime) {
    if (left & 1n) found = (found * power) % prime;
  }
  return found;
}

export default {
  fields: { categories: readNames, prime: readCount, dimension: readCount, keep: readChance },
  check(scheme) {
    const { prime, dimension, categories } = scheme;
    insist(
      isPrime(prime) && dimension >= 2n && dimension <= 24n && prime ** dimension <= MOST_VECTORS,
      "This is not a space of points.",
    );
    scheme.points = points(prime, dimension);
    scheme.hyperplane = points(prime, dimension - 1n);
    insist(scheme.points >= categories, "There are fewer points than answers.");
  },
  ratios: ({ keep, points, hyperplane }) => [[keep * (points - hyperplane), (WHOLE - keep) * hyperplane]],
  code: codeOfAnswer,

  // Every point that is orthogonal to the answer's has as many vectors other than 0 whose inner
  // product with it is 0, every other point has one whose product is 1. All digits but one are
  // drawn, and the one where the answer's vector has its first 1 is solved for.
  randomize({ keep, prime, dimension }, answer) {
    const kept = happens(keep);
    const others = prime ** (dimension - 1n);
    const drawn = kept ? 1n + below(others - 1n) : below(others);
    const own = vector(prime, dimension, answer);
    const pivot = own.findIndex((digit) => digit !== 0n);
    const found = digits(prime, dimension - 1n, drawn);
    found.splice(pivot, 0, 0n);
    const inner = found.reduce((sum, digit, at) => sum + digit * own[at], 0n);
    found[pivot] = modulo((kept ? 0n : 1n) - inner, prime);
    return Number(pointOf(prime, found));
  },

  explained: ({ keep, points }, say) => [
    say("projective", { points, keep: often(say, keep, WHOLE) }),
  ],
  end: "end.list",

  said(scheme, report, say) {
    const { prime, dimension } = scheme;
    const own = vector(prime, dimension, BigInt(report));
    const orthogonal = (at) =>
      vector(prime, dimension, BigInt(at)).reduce((sum, digit, n) => sum + digit * own[n], 0n) % prime === 0n;
    return say("says.list", { answers: listed(scheme, orthogonal, say) });
  },
};
