// SPDX-License-Identifier: Apache-2.0
// An answer in sentences.
import { ADJACENCIES, cut, MECHANISMS, SAMPLINGS } from "./mechanisms.mjs";
import { literal, outward, rounded } from "./numbers.mjs";
import { scheme } from "./question.mjs";

const LIMITED = {
  memory: "It would take more memory than a page may use; in Python it is closer.",
  rounding: "Binary arithmetic gives it no closer.",
  passes: "It was not refined further.",
  theory: "It is not known more closely: the upper bound is proved for every attack, and some attack attains the lower one.",
};

/** The interval, its ends rounded outwards: {symbol, low, high}. */
export function interval({ seek }, { lower, upper }) {
  const [low, high] = outward(lower, upper);
  return { symbol: seek === "delta" ? "δ" : "ε", low, high };
}

/** What is shown largest, and the line below it. */
export function headline(question, { bounds, found, question: asked }, state) {
  const { symbol, low, high } = interval(question, bounds);
  const at = question.seek === "delta" ? `ε = ${state.epsilon.trim()}` : `δ = ${state.delta.trim()}`;
  const between = low === high ? `${symbol} = ${low}` : `${low} ≤ ${symbol} ≤ ${high}`;
  if (!found) return [between, `certified, at ${at}`];
  if (found.value === 0 && question.find.name === "count") return ["Not even one fits", `one alone has ${between} at ${at}`];
  return [`${soughtName(question, state)} ${sought(found.value)}`, `certified: ${between} at ${at}`];
}

const sought = (value) => (Number.isInteger(value) ? value.toLocaleString("en") : literal(value));

function soughtName({ find: { part, name } }, state) {
  if (state.kind === "dpsgd") return name === "noise_multiplier" ? "Noise multiplier" : SAMPLINGS[state.sampling].unit === "epochs" ? "Epochs" : "Steps";
  const known = MECHANISMS[state.lines[part].mechanism].parameters.find((one) => one.name === name);
  return `Line ${part + 1}: ${known?.label.toLowerCase() ?? "times"}`;
}

/** What the number means, in plain words. */
export function meaning(question, { bounds, found }, state) {
  const said = [];
  if (found && question.find.name === "count") {
    if (found.all) said.push("Everything fits: these are the most there are.");
    else if (found.value > 0) said.push(`That keeps epsilon within ${literal(question.epsilon)}; with ${found.next.toLocaleString("en")} it is not certain.`);
  } else if (found) {
    said.push(`${question.find.falls ? "Less" : "More"} would not be certain to keep epsilon within ${literal(question.epsilon)}.`);
  }
  if (question.seek !== "delta") said.push(odds(bounds, question, state));
  if (bounds.limitedBy) said.push(LIMITED[bounds.limitedBy]);
  if (bounds.limitedBy === "theory" && state.kind === "dpsgd") said.push(leaveOut(state));
  const records = sizeOf(state);
  if (question.delta !== undefined && records && question.delta >= 1 / records)
    said.push(`At delta = 1/n a mechanism may publish one of n records whole; usual is n^-1.1 or less, here ${rounded(records ** -1.1, 2, false)}.`);
  return said.filter(Boolean).join(" ");
}

/** What costs nothing and proves several times as much of a shuffled epoch. */
function leaveOut(state) {
  if (!state.sampling.startsWith("shuffled")) return "";
  const numbers = scheme(state);
  if (numbers.batch !== undefined && cut({ ...numbers, drops: true }).left) return numbers.drops ? "" : "Leave out the records that do not fill a batch, and the upper bound is several times smaller.";
  return "Choose a batch size that does not divide the dataset size and leave out the rest, and the upper bound is several times smaller.";
}

function odds({ upper }, question, { delta }) {
  const isPure = question.delta === 0;
  if (!Number.isFinite(upper) && isPure) return "No epsilon is enough at delta = 0: some results, however rare, tell more than any factor allows.";
  if (!Number.isFinite(upper)) return "No epsilon is enough at this delta: the run may reveal a record whole.";
  const factor = Math.exp(upper) * (1 + 1e-15);
  if (upper > 20) return "Epsilon says next to nothing here: seeing the result may change anyone's odds that a record was in the data by a factor of more than 400 million.";
  const digits = Math.max(3, 2 - Math.floor(Math.log10(factor - 1)));
  const times = factor >= 1000 ? `${Math.ceil(factor).toLocaleString("en")}` : rounded(factor, Math.min(digits, 12), true);
  const seldom = isPure ? "" : `, except with a probability of δ = ${delta.trim()}`;
  if (upper === 0) return `Seeing the result changes nobody's odds that a record was in the data${seldom}.`;
  return `Seeing the result changes anyone's odds that a record was in the data by a factor of at most e^ε = ${times}${seldom}.`;
}

function sizeOf(state) {
  if (state.kind !== "dpsgd") return 0;
  try {
    return scheme(state).records ?? 0;
  } catch {
    return 0;
  }
}

/** A delta in few digits, no less than it is. */
function above(delta) {
  const exact = literal(delta), short = literal(Number(rounded(delta, 4, true)));
  return exact.length <= short.length + 2 ? exact : short;
}

function differing(state, { adjacency }) {
  const one = ADJACENCIES[adjacency], isOfGroups = state.kind === "dpsgd" && state.sampling === "groups";
  return isOfGroups ? one.replace("one record is", `up to ${scheme(state).extra} records are`) : one;
}

/** A sentence to put into a paper or a report. */
export function statement(state, question, { bounds, question: asked }, version) {
  const { high } = question.seek === "delta" ? { high: literal(question.epsilon) } : interval(question, bounds);
  const delta = question.seek === "delta" ? outward(bounds.lower, bounds.upper)[1] : above(question.delta);
  const what = state.kind === "dpsgd" ? training(state, asked) : pipeline(asked);
  return `The result is (ε = ${high}, δ = ${delta})-differentially private, where neighbouring datasets differ in that ${differing(state, question)}. ${what} `
    + `${question.seek === "delta" ? "Delta is" : "Epsilon is in nats, and"} an upper bound certified by hockeystick ${version}, rounding included.\n`;
}

function training(state, { parts: [part] }) {
  const numbers = scheme(state), { label } = SAMPLINGS[state.sampling];
  const steps = state.seek === "count" ? part.count * (SAMPLINGS[state.sampling].unit === "epochs" ? numbers.steps : 1) : numbers.steps;
  const batches = numbers.batch === undefined ? `sampling probability ${literal(numbers.rate)}` : `batch size ${numbers.batch.toLocaleString("en")} of ${numbers.records.toLocaleString("en")} records${leftOver(numbers)}`;
  return `The model was trained by DP-SGD with noise multiplier ${literal(part.parameters.noise_multiplier)}, ${batches} (drawn: ${inSentence(label)}), ${steps.toLocaleString("en")} ${steps === 1 ? "step" : "steps"}.`;
}

/** Without the capital letter of a label; Poisson keeps his. */
const inSentence = (label) => (label.startsWith("Poisson") ? label : label[0].toLowerCase() + label.slice(1));

function leftOver({ batch, records, drops }) {
  if (drops === undefined || records % batch === 0) return "";
  return drops ? ", records that do not fill a batch left out" : ", the last batch smaller";
}

function pipeline({ parts }) {
  const said = parts.map(({ mechanism, parameters, count }) => {
    const name = mechanism.replace(/^poisson_sampled\((\w+)\)$/, "$1"), numbers = Object.entries(parameters).map(([key, value]) => `${key.replaceAll("_", " ")} ${[value].flat().join(" ")}`);
    return `${count.toLocaleString("en")} × ${MECHANISMS[name].label} (${numbers.join(", ")})`;
  });
  return `What ran: ${said.join("; ")}.`;
}

/** What an attack attains at most where it wrongly accuses one in a hundred. */
export function attack(missed) {
  return `A test that wrongly accuses 1 % of those who are not in the data finds at most ${rounded(Math.min(100, 100 * (1 - missed) + 1e-12), 3, true)} % of those who are.`;
}
