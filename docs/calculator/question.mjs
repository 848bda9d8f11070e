// SPDX-License-Identifier: Apache-2.0
// What is typed, the link that holds it, and the question that it makes.
import { isFalling } from "./matrices.mjs";
import { adjacenciesOf, adjacenciesOfSampling, ADJACENCIES, cut, MECHANISMS, SAMPLINGS } from "./mechanisms.mjs";
import { BadInput, list, number, whole } from "./numbers.mjs";

const MOST_LINES = 50;

/** All that a person can type or choose, as texts. */
export const START = {
  kind: "dpsgd", seek: "epsilon",
  noise: "1.0", sampling: "poisson", size: "batch", batch: "256", records: "60,000", last: "used", rate: "0.01",
  length: "epochs", epochs: "10", steps: "10,000", largest: "384", selected: "10", group: "4",
  adjacency: "add-or-remove-one", delta: "1e-6", epsilon: "2", find: "0.count",
  lines: [
    { mechanism: "gaussian", values: { noise_multiplier: "1.0" }, rate: "0.01", count: "1000" },
    { mechanism: "laplace", values: { noise_multiplier: "20" }, rate: "", count: "5" },
  ],
};
const CHOICES = {
  kind: ["dpsgd", "pipeline"],
  seek: ["epsilon", "delta", "noise", "count"],
  sampling: Object.keys(SAMPLINGS),
  size: ["batch", "rate"],
  last: ["used", "dropped"],
  length: ["epochs", "steps"],
  adjacency: Object.keys(ADJACENCIES),
};

export const newLine = (mechanism) => ({
  mechanism, rate: "", count: "1",
  values: Object.fromEntries(MECHANISMS[mechanism].parameters.map(({ name, start }) => [name, start])),
});

/** Which fields the question has, of those that are not lines. */
export function fields(state) {
  const seeks = { epsilon: ["delta"], delta: ["epsilon"], noise: ["epsilon", "delta"], count: ["epsilon", "delta"] }[state.seek];
  if (state.kind === "pipeline") return [...seeks, "adjacency", ...(state.seek === "noise" || state.seek === "count" ? ["find"] : [])];
  const sampling = SAMPLINGS[state.sampling];
  const sized = sampling.sized || state.size === "batch";
  const length = state.seek === "count" ? [] : ["length", state.length === "epochs" ? "epochs" : "steps"];
  return [
    ...(state.seek === "noise" ? [] : ["noise"]), "sampling", "size", ...(sized ? ["batch", "records", ...(sampling.unit === "epochs" ? ["last"] : [])] : ["rate"]),
    ...length, ...(sampling.extra ? [sampling.extra.name] : []), ...seeks, "adjacency",
  ];
}

/** The text after # of a link. */
export function hash(state) {
  const said = new URLSearchParams([["kind", state.kind], ["seek", state.seek]]);
  for (const name of fields(state)) said.append(name, state[name]);
  if (state.kind === "pipeline")
    for (const { mechanism, values, rate, count } of state.lines)
      said.append("line", new URLSearchParams([["mechanism", mechanism], ...Object.entries(values), ["rate", rate], ["count", count]]));
  return said.toString();
}

/** The state of a link; what it does not say, or says wrongly, is as at the start. */
export function restored(text) {
  const said = new URLSearchParams(text.replace(/^#/, ""));
  const state = structuredClone(START);
  for (const name of Object.keys(START)) {
    const value = said.get(name);
    if (name !== "lines" && value !== null && (CHOICES[name]?.includes(value) ?? true)) state[name] = value.slice(0, 1000);
  }
  const lines = said.getAll("line").slice(0, MOST_LINES).map(lineOf).filter((line) => line !== null);
  if (lines.length) state.lines = lines;
  if (!adjacencies(state).includes(state.adjacency)) state.adjacency = adjacencies(state)[0] ?? state.adjacency;
  return state;
}

function lineOf(text) {
  const said = new URLSearchParams(text), mechanism = said.get("mechanism") ?? "";
  if (!Object.hasOwn(MECHANISMS, mechanism)) return null;
  const line = newLine(mechanism);
  for (const { name } of MECHANISMS[mechanism].parameters) line.values[name] = said.get(name) ?? line.values[name];
  return { ...line, rate: said.get("rate") ?? "", count: said.get("count") ?? line.count };
}

/** The adjacencies under which all that is asked about is defined. */
export function adjacencies(state) {
  const known = state.kind === "dpsgd"
    ? [adjacenciesOfSampling(state.sampling)]
    : state.lines.map(({ mechanism, rate }) => adjacenciesOf(mechanism, rate.trim() !== ""));
  return Object.keys(ADJACENCIES).filter((name) => known.every((names) => names.includes(name)));
}

/** What may be calibrated in a pipeline: "0.count" or "1.sigma", with words. */
export function findable(state) {
  const found = [];
  state.lines.forEach(({ mechanism }, k) => {
    if (state.seek === "count") found.push([`${k}.count`, `Line ${k + 1}: times it runs`]);
    else
      for (const { name, label, list: isList, whole: isWhole } of MECHANISMS[mechanism].parameters)
        if (!isList && !isWhole) found.push([`${k}.${name}`, `Line ${k + 1}: ${label.toLowerCase()}`]);
  });
  return found;
}

/**
 * What the library is asked: parts {mechanism, parameters, count}, adjacency, and delta or epsilon. If a number is
 * sought, `find` says where it belongs and whether more of it costs less. Throws BadInput.
 */
export function question(state) {
  const names = fields(state), asked = { seek: state.seek, adjacency: state.adjacency };
  if (names.includes("delta")) asked.delta = number("delta", state.delta);
  if (names.includes("epsilon")) asked.epsilon = number("epsilon", state.epsilon);
  const made = state.kind === "dpsgd" ? dpsgd(state) : pipeline(state);
  return { ...asked, ...made };
}

/** The numbers of a run of DP-SGD: rate and steps, and the sizes where they are given. */
export function scheme(state) {
  const sampling = SAMPLINGS[state.sampling], numbers = {};
  if (sampling.sized || state.size === "batch") {
    numbers.batch = whole("batch size", state.batch);
    numbers.records = whole("dataset size", state.records);
    if (!(numbers.batch >= 1 && numbers.batch <= numbers.records)) throw new BadInput(`batch size must be in [1, dataset size], got ${state.batch} of ${state.records}`);
    numbers.rate = numbers.batch / numbers.records;
    if (sampling.unit === "epochs") {
      numbers.drops = state.last === "dropped";
      numbers.rate = 1 / cut(numbers).batches;
    }
  } else {
    numbers.rate = number("sampling probability", state.rate);
    if (!(numbers.rate >= 0 && numbers.rate <= 1)) throw new BadInput(`sampling probability must be in [0, 1], got ${state.rate}`);
  }
  if (sampling.extra) numbers.extra = whole(sampling.extra.label.toLowerCase(), state[sampling.extra.name]);
  if (state.seek === "count") return { ...numbers, steps: sampling.unit === "epochs" ? cut(numbers).batches : 1 };
  numbers.steps = state.length === "epochs" ? stepsOf(number("epochs", state.epochs), numbers) : whole("steps", state.steps);
  return numbers;
}

/** Epochs as steps: one that is begun counts. */
function stepsOf(epochs, { batch = 0, records = 1, rate, drops }) {
  if (!(epochs >= 0)) throw new BadInput(`epochs must be >= 0, got ${epochs}`);
  if (rate === 0) throw new BadInput("sampling probability must be above 0 if epochs are given, got 0");
  const exact = drops !== undefined ? epochs * cut({ batch, records, drops }).batches : batch ? (epochs * records) / batch : epochs / rate, nearest = Math.round(exact);
  return Math.abs(exact - nearest) <= exact * 2 ** -50 ? nearest : Math.ceil(exact);
}

function dpsgd(state) {
  const sampling = SAMPLINGS[state.sampling];
  if (state.seek === "count" && sampling.single) throw new BadInput(`the steps that fit are not searched for "${sampling.label}"; type them and look`);
  const part = sampling.part(scheme(state));
  if (state.seek === "noise") return { parts: [part], find: { part: 0, name: "noise_multiplier", falls: true } };
  part.parameters = { noise_multiplier: number("noise multiplier", state.noise), ...part.parameters };
  return { parts: [part], ...(state.seek === "count" ? { find: { part: 0, name: "count" } } : {}) };
}

function pipeline(state) {
  const [at, name] = state.find.split("."), chosen = findable(state).some(([value]) => value === state.find);
  const seeks = state.seek === "noise" || state.seek === "count";
  if (seeks && !chosen) throw new BadInput("no line has such a number: choose what to find");
  const parts = state.lines.map((line, k) => partOf(line, k, seeks && Number(at) === k ? name : ""));
  if (!seeks) return { parts };
  const described = MECHANISMS[state.lines[Number(at)].mechanism].parameters.find((one) => one.name === name);
  return { parts, find: { part: Number(at), name, falls: described?.falls ?? false } };
}

function partOf(line, k, left) {
  const { parameters: known, sampled } = MECHANISMS[line.mechanism], parameters = {};
  for (const { name, label, list: isList, whole: isWhole, optional } of known) {
    if (name === left || (optional && line.values[name].trim() === "")) continue;
    const said = `${label.toLowerCase()} of line ${k + 1}`, value = (isList ? list : isWhole ? whole : number)(said, line.values[name]);
    if (isWhole && value < 1) throw new BadInput(`${said} must be >= 1, got ${value}`);
    if (name === "coefficients" && !isFalling(value)) throw new BadInput(`${said} must fall and not be negative; Python takes others, too`);
    parameters[name] = value;
  }
  const count = left === "count" ? 1 : whole(`times of line ${k + 1}`, line.count);
  if (!sampled || line.rate.trim() === "") return { mechanism: line.mechanism, parameters, count };
  parameters.sampling_probability = number(`sampling probability of line ${k + 1}`, line.rate);
  return { mechanism: `poisson_sampled(${line.mechanism})`, parameters, count };
}
