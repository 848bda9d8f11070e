// SPDX-License-Identifier: Apache-2.0
// Questions to the library: one number, the curve around it, and the search for a parameter.
import { asLibrary } from "./matrices.mjs";
import { rounded } from "./numbers.mjs";

const MEMORY = 2 ** 28; // bytes, which a phone has
const CURVE = { points: 61, highest: 0.5, tolerance: 1e-3 };
const TRADEOFF = { points: 49, tolerance: 1e-3 };
/** How a number is sought. */
export const SEARCH = { digits: 5, tolerance: 1e-4, doublings: 100, largest: 1e12, smallest: 1e-12, most: 1e9 };

function built(library, { parts }) {
  const run = library.run();
  let line = 0;
  try {
    parts.forEach((part, k) => {
      line = k + 1;
      const { mechanism, parameters, count } = asLibrary(part);
      run.add(mechanism, parameters, count);
    });
  } catch (error) {
    run.free();
    if (parts.length > 1) error.message = `line ${line}: ${error.message}`;
    throw error;
  }
  return run;
}

function withRun(library, question, work) {
  const run = built(library, question);
  try {
    return work(run);
  } finally {
    run.free();
  }
}

const options = ({ adjacency }, tolerance) => ({ adjacency, tolerance, memoryLimit: MEMORY });

/** The question with the number that is sought set. */
export function filled(question, value) {
  const { part, name } = question.find;
  const parts = question.parts.map((one, k) => {
    if (k !== part) return one;
    return name === "count" ? { ...one, count: value } : { ...one, parameters: { ...one.parameters, [name]: value } };
  });
  return { ...question, parts };
}

/** Answers: an interval of epsilon or delta, and the number that was found, if one was sought. */
export function answer(library, question) {
  if (!question.find) {
    const bounds = withRun(library, question, (run) =>
      question.seek === "delta" ? run.delta([question.epsilon], options(question))[0] : run.epsilon([question.delta], options(question))[0]);
    return { bounds, question };
  }
  const found = calibrated(library, question);
  const fitsNone = found.value === 0 && question.find.name === "count"; // then the cost of one is shown
  const asked = filled(question, fitsNone ? 1 : found.value);
  return { found, bounds: epsilonOf(library, asked, SEARCH.tolerance), question: asked };
}

function epsilonOf(library, question, tolerance) {
  return withRun(library, question, (run) => run.epsilon([question.delta], options(question, tolerance))[0]);
}

/**
 * The value whose certified epsilon is within the target, and next to one whose is not: the least noise, to five digits,
 * or the largest count. `next` is that other value, with its bounds; null where everything, or nothing, is within.
 */
function calibrated(library, question) {
  if (!(question.epsilon > 0)) throw new RangeError(`epsilon, the target, must be > 0, got ${question.epsilon}`);
  const asked = (value) => epsilonOf(library, filled(question, value), SEARCH.tolerance);
  return question.find.name === "count" ? mostCounts(asked, question.epsilon) : leastOf(asked, question);
}

function mostCounts(asked, target) {
  const fits = (count) => asked(count).upper <= target;
  if (!fits(1)) return { value: 0, next: 1, all: false };
  let within = 1, beyond = 2;
  while (fits(beyond)) {
    if (beyond === SEARCH.most) return { value: beyond, next: null, all: true };
    [within, beyond] = [beyond, Math.min(2 * beyond, SEARCH.most)];
  }
  while (beyond - within > 1) {
    const middle = Math.floor((within + beyond) / 2);
    if (fits(middle)) within = middle;
    else beyond = middle;
  }
  return { value: within, next: beyond, all: false };
}

// Values that the library refuses are beyond: no noise multiplier is below 0.001, say.
function leastOf(asked, { epsilon: target, find: { falls } }) {
  let refused = null, isFinite = false;
  const fits = (value) => {
    try {
      const { upper } = asked(value);
      isFinite ||= upper < Infinity;
      return upper <= target;
    } catch (error) {
      if (error.status !== -1) throw error;
      refused = error;
      return false;
    }
  };
  const cheaper = falls ? 2 : 0.5;
  let within = 1, k = 0;
  while (!fits(within) && k++ < 40) within *= cheaper;
  if (k > 40) {
    if (refused && isFinite) throw refused;
    throw new RangeError(`no value meets the target epsilon = ${target}: ${isFinite ? "other parts of the run cost more" : "epsilon is infinite at this delta, whatever it is"}`);
  }
  let beyond = within / cheaper;
  for (k = 0; k < 40 && fits(beyond); ++k) [within, beyond] = [beyond, beyond / cheaper];
  while (Math.abs(within / beyond - 1) > 1e-6) {
    const middle = Math.sqrt(within * beyond);
    if (fits(middle)) within = middle;
    else beyond = middle;
  }
  const value = Number(rounded(within, SEARCH.digits, falls)); // towards what costs less
  return { value: fits(value) ? value : within, next: beyond, all: false };
}

/** Epsilon at deltas from 1/2 down: [delta, lower, upper] of each. */
export function curve(library, question) {
  const least = Math.log10(Math.min(1e-10, (question.delta || 1e-5) / 100));
  const highest = Math.log10(CURVE.highest);
  const deltas = Array.from({ length: CURVE.points }, (_, k) => 10 ** (highest + ((least - highest) * k) / (CURVE.points - 1)));
  const bounds = withRun(library, question, (run) => run.epsilon(deltas, options(question, CURVE.tolerance)));
  return deltas.map((delta, k) => [delta, bounds[k].lower, bounds[k].upper]);
}

/** Guarantees [epsilon, delta] that the run certainly has, of which the trade-off of an attack follows. */
export function guarantees(library, question, points) {
  const [, , most] = points.find(([, , upper]) => Number.isFinite(upper) && upper > 0) ?? [0, 0, 1];
  const highest = Math.max(points.findLast(([, , upper]) => Number.isFinite(upper))?.[2] ?? 1, most, 1e-3);
  const epsilons = Array.from({ length: TRADEOFF.points }, (_, k) => Math.min(1e4, highest) * (k / (TRADEOFF.points - 1)) ** 2);
  const bounds = withRun(library, question, (run) => run.delta(epsilons, options(question, TRADEOFF.tolerance)));
  return epsilons.map((epsilon, k) => [epsilon, bounds[k].upper]);
}

/**
 * A number that the false negative rate of no attack is below, at each false positive rate. One ordered comparison
 * bounds it by one of two lines; where both directions count, both lines hold.
 */
export function tradeoff(pairs, adjacency, rate) {
  let most = 0;
  for (const [epsilon, delta] of pairs) {
    if (adjacency !== "add-one") most = Math.max(most, 1 - delta - (rate > 0 ? Math.exp(epsilon) * rate : 0));
    if (adjacency !== "remove-one") most = Math.max(most, Math.exp(-epsilon) * (1 - delta - rate));
  }
  return most;
}
