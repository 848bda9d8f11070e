// SPDX-License-Identifier: Apache-2.0
// What the page offers: adjacencies, mechanisms and ways to draw batches, in words and as the library names them.
import { BadInput } from "./numbers.mjs";

export const ADJACENCIES = {
  "add-or-remove-one": "one record is added or removed",
  "replace-one": "one record is replaced by any other",
  "replace-special": "one record is replaced by an empty one",
  "remove-one": "one record is removed",
  "add-one": "one record is added",
};
const ALL = Object.keys(ADJACENCIES);
const BUT_REPLACE = ALL.filter((name) => name !== "replace-one");
const REPLACE = ["replace-special", "replace-one"];

const noise = { name: "noise_multiplier", label: "Noise multiplier", help: "Scale of the noise over the sensitivity", start: "20", falls: true };
const sensitivity = { name: "sensitivity", label: "Sensitivity", help: "The most that one record changes the result; whole", start: "1", whole: true };

/** Mechanisms of a pipeline. A parameter `falls` if more of it costs less. */
export const MECHANISMS = {
  gaussian: {
    label: "Gaussian noise", type: "Gaussian", sampled: true,
    parameters: [{ ...noise, help: `${noise.help}; 1 / mu of Gaussian DP, or of a filter` }],
  },
  joint_gaussian: {
    label: "Gaussian noise, several at once", type: "JointGaussian", sampled: true,
    parameters: [
      { name: "noise_multipliers", label: "Noise multipliers", help: "Of what one batch releases, by spaces", start: "20 30", list: true },
      { name: "counts", label: "Times of each", help: "As many, by spaces", start: "1 1", list: true },
    ],
  },
  laplace: { label: "Laplace noise", type: "Laplace", sampled: true, parameters: [noise] },
  discrete_gaussian: {
    label: "Discrete Gaussian noise", type: "DiscreteGaussian", sampled: true,
    parameters: [{ name: "sigma", label: "Sigma", help: "Of the noise, in units of the result", start: "20", falls: true }, sensitivity],
  },
  discrete_laplace: {
    label: "Discrete Laplace noise (geometric)", type: "DiscreteLaplace", sampled: true,
    parameters: [{ name: "parameter", label: "Parameter", help: "Noise k has probability in proportion to exp(-parameter |k|)", start: "0.05" }, sensitivity],
  },
  exponential_mechanism: {
    label: "Exponential mechanism", type: "ExponentialMechanism", sampled: true,
    parameters: [{ name: "epsilon", label: "Its epsilon [nats]", help: "Its guarantee by itself", start: "0.1" }],
  },
  permute_and_flip: {
    label: "Permute and flip", type: "PermuteAndFlip", sampled: true,
    parameters: [{ name: "epsilon", label: "Its epsilon [nats]", help: "Its guarantee by itself", start: "0.1" }],
  },
  randomized_response: {
    label: "Randomized response", type: "RandomizedResponse", adjacencies: REPLACE,
    parameters: [
      { name: "noise_parameter", label: "Noise parameter", help: "Probability that the answer is drawn at random", start: "0.5", falls: true },
      { name: "num_buckets", label: "Possible answers", help: "A whole number", start: "2", whole: true },
    ],
  },
  approximate_dp: {
    label: "Anything with an (epsilon, delta) guarantee", type: "ApproximateDP", sampled: true,
    parameters: [
      { name: "epsilon", label: "Its epsilon [nats]", help: "Its guarantee by itself", start: "0.1" },
      { name: "delta", label: "Its delta", help: "Its guarantee by itself", start: "1e-9" },
    ],
  },
  zcdp: {
    label: "Anything with a zCDP guarantee", type: "ZCDP",
    parameters: [{ name: "rho", label: "Its rho", help: "Zero-concentrated differential privacy, or a filter's budget", start: "0.001" }],
  },
  renyi_dp: {
    label: "Anything with a Renyi guarantee", type: "RenyiDP",
    parameters: [
      { name: "order", label: "Order", help: "Of the divergence, above 1", start: "8", falls: true },
      { name: "divergence", label: "Divergence [nats]", help: "Its bound, or a filter's budget", start: "0.1" },
    ],
  },
  shuffled_local: {
    label: "Locally private reports, shuffled", type: "ShuffledLocal", adjacencies: ["replace-one"],
    parameters: [
      { name: "epsilon0", label: "Epsilon of a report [nats]", help: "Each is locally private with it", start: "1" },
      { name: "users", label: "Users", help: "Each sends one report; whole", start: "10000", whole: true },
      { name: "choices", label: "Choices", help: "Of k-ary response; empty: any randomizer", start: "", whole: true, optional: true },
    ],
  },
  gaussian_between: {
    label: "Gaussian noise between two levels", type: "GaussianBetween",
    parameters: [
      { name: "least_noise", label: "Least noise multiplier", help: "It is at least this", start: "20", falls: true },
      { name: "most_noise", label: "Largest noise multiplier", help: "It is at most this", start: "21", falls: true },
    ],
  },
  tree: {
    label: "Correlated noise: DP-FTRL tree", type: "TreeMechanism",
    parameters: [
      { ...noise, help: "Of each node of the tree, over the clipping norm" },
      { name: "leaves", label: "Leaves", help: "Steps of an epoch, in one of which a record is; whole", start: "1000", whole: true },
      { name: "restarts", label: "Epochs", help: "The tree begins anew in each; whole", start: "1", whole: true },
    ],
  },
  toeplitz: {
    label: "Correlated noise: Toeplitz", type: "ToeplitzMechanism",
    parameters: [
      { ...noise, help: "Over the clipping norm" },
      { name: "coefficients", label: "Coefficients", help: "Of the encoder; they fall; by spaces", start: "1 0.5 0.375", list: true },
      { name: "steps", label: "Steps", help: "Of the whole run; whole", start: "2000", whole: true },
      { name: "min_separation", label: "Separation", help: "Steps until a record is used again; whole", start: "500", whole: true },
    ],
  },
  gaussian_mixture: {
    label: "Gaussian noise, random sensitivity", type: "GaussianMixture", sampled: true, adjacencies: BUT_REPLACE,
    parameters: [
      { name: "standard_deviation", label: "Standard deviation", help: "Of the noise", start: "20", falls: true },
      { name: "sensitivities", label: "Sensitivities", help: "What one record may change, by spaces", start: "0 1 2", list: true },
      { name: "probabilities", label: "Their probabilities", help: "As many, by spaces", start: "0.25 0.5 0.25", list: true },
    ],
  },
  discrete_pair: {
    label: "Two distributions on the same outcomes", type: "DiscretePair", sampled: true,
    parameters: [
      { name: "p", label: "Probabilities of the one", help: "By spaces", start: "0.5 0.3 0.2", list: true },
      { name: "q", label: "Probabilities of the other", help: "As many, by spaces", start: "0.4 0.3 0.3", list: true },
    ],
  },
};

/** The type of each sampling scheme in ledgers. */
export const SCHEME_TYPES = {
  poisson_sampled: "PoissonSampled",
  fixed_size_sampled: "FixedSizeSampled",
  random_allocation: "RandomAllocation",
  sampled_group: "SampledGroup",
  selected_steps: "SelectedSteps",
  shuffled: "Shuffled",
  truncated_poisson_gaussian: "TruncatedPoissonGaussian",
};

/** Batches of an epoch that is cut, the records that it leaves out, and those of a smaller last batch. */
export function cut({ batch, records, rate, drops }) {
  if (batch !== undefined) {
    const rest = records % batch, full = (records - rest) / batch;
    return drops || rest === 0 ? { batches: full, left: rest } : { batches: full + 1, left: 0, last: rest };
  }
  const nearest = Math.round(1 / rate);
  if (!(Math.abs(nearest - 1 / rate) <= 1e-9 / rate)) throw new BadInput(`1 / sampling probability must be whole where an epoch is cut into batches, got ${1 / rate}: 1/${Math.floor(1 / rate)} or 1/${Math.ceil(1 / rate)} would do`);
  return { batches: nearest, left: 0 };
}

const batches = (numbers) => cut(numbers).batches;

/** The batches of a shuffled epoch as the library is asked. */
function shuffles(numbers) {
  const { batches: count, left, last } = cut(numbers);
  if (left) return { batches: count, left_out: left, batch_size: numbers.batch };
  return last ? { batches: count, batch_size: numbers.batch, last_batch: last } : { batches: count };
}

function epochs(numbers) {
  const each = batches(numbers), more = numbers.steps % each, whole = numbers.steps - more;
  if (more !== 0) throw new BadInput(`steps must be whole epochs of ${each} batches, got ${numbers.steps}: ${whole} or ${whole + each} would do`);
  return numbers.steps / each;
}

function sizes({ batch, records }) {
  if (batch === undefined) throw new BadInput("batch size and dataset size must be given for batches of fixed size");
  return { batch_size: batch, dataset_size: records };
}

function drawn(rate, size) {
  if (!(size >= 1 && size <= 1000)) throw new BadInput(`k, records of a group, must be in [1, 1000], got ${size}`);
  return Array(size).fill(rate);
}

const sampled = (scheme, parameters, count) => ({ mechanism: `${scheme}(gaussian)`, parameters, count });

/**
 * How batches are drawn. `part` makes of the numbers of a run what the library is asked: batch and records (if given as
 * such), rate, steps, and what `extra` says. `unit` is that of the count that is calibrated.
 */
export const SAMPLINGS = {
  poisson: {
    label: "Poisson", words: "Each record joins each batch by a coin flip of its own, as in Opacus",
    command: "poisson",
    part: ({ rate, steps }) => sampled("poisson_sampled", { sampling_probability: rate }, steps),
  },
  groups: {
    label: "Poisson, groups of records", words: "As Poisson, where up to k records differ, as the examples of a user",
    extra: { name: "group", label: "k, records of a group", start: "4" }, adjacencies: BUT_REPLACE,
    part: ({ rate, steps, extra }) => sampled("sampled_group", { sampling_probabilities: drawn(rate, extra) }, steps),
  },
  truncated: {
    label: "Poisson, batches cut at a largest size", words: "As Poisson; what exceeds the largest batch is dropped",
    extra: { name: "largest", label: "Largest batch", start: "384" }, sized: true,
    part: ({ rate, steps, records, extra }) => ({
      mechanism: "truncated_poisson_gaussian",
      parameters: { sampling_probability: rate, truncated_batch_size: extra, dataset_size: records }, count: steps,
    }),
  },
  fixed: {
    label: "Fixed size, without replacement", words: "A fixed number of records, drawn anew for each step",
    command: "fixed-size", adjacencies: ["replace-one", "replace-special"], sized: true,
    part: (n) => sampled("fixed_size_sampled", sizes(n), n.steps),
  },
  replacement: {
    label: "Fixed size, with replacement", words: "A fixed number of draws for each step; a record may be drawn more than once",
    adjacencies: ["replace-one", "replace-special"], sized: true,
    part: (n) => sampled("fixed_size_sampled", { ...sizes(n), replacement: 1 }, n.steps),
  },
  allocation: {
    label: "Random allocation (balls in bins)", words: "Each record joins one batch of every epoch, drawn by itself",
    command: "random-allocation", adjacencies: BUT_REPLACE, unit: "epochs",
    part: (n) => sampled("random_allocation", { steps: batches(n) }, epochs(n)),
  },
  allocation_once: {
    label: "Random allocation, the same in all epochs", words: "As random allocation, drawn once",
    adjacencies: BUT_REPLACE, unit: "epochs", single: true,
    part: (n) => sampled("random_allocation", { steps: batches(n), epochs: epochs(n) }, 1),
  },
  selected: {
    label: "Random allocation, k of all steps", words: "Each record joins exactly k of all steps",
    extra: { name: "selected", label: "k, steps that a record joins", start: "10" }, adjacencies: BUT_REPLACE, single: true,
    part: ({ steps, extra }) => sampled("selected_steps", { steps, selected: extra }, 1),
  },
  shuffled: {
    label: "Shuffled, anew in each epoch", words: "As PyTorch DataLoader(shuffle=True): a permutation, cut into batches",
    command: "shuffled", adjacencies: REPLACE, unit: "epochs",
    part: (n) => sampled("shuffled", shuffles(n), epochs(n)),
  },
  shuffled_once: {
    label: "Shuffled once, the same in all epochs", words: "As shuffled, with one permutation for all epochs",
    adjacencies: REPLACE, unit: "epochs", single: true,
    part: (n) => sampled("shuffled", { ...shuffles(n), epochs: epochs(n) }, 1),
  },
  cyclic: {
    label: "In fixed order, no chance", words: "Each record is in one batch of every epoch, which may be known",
    command: "cyclic", unit: "epochs",
    part: (n) => ({ mechanism: "gaussian", parameters: {}, count: epochs(n) }),
  },
};

/** The adjacencies that a mechanism of the table, sampled or not, is defined under. */
export function adjacenciesOf(mechanism, isSampled) {
  const known = MECHANISMS[mechanism].adjacencies ?? ALL;
  return isSampled && mechanism !== "gaussian" ? known.filter((name) => name !== "replace-one") : known;
}

export const adjacenciesOfSampling = (sampling) => SAMPLINGS[sampling].adjacencies ?? ALL;
