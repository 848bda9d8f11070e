// SPDX-License-Identifier: Apache-2.0
// Correlated noise as what the library is asked: Gaussians, of noise over how far a record moves them.
const MOST_STEPS = 1e6;

/** A part of a run as the library knows it. */
export function asLibrary({ mechanism, parameters, count }) {
  const { noise_multiplier: noise, ...strategy } = parameters;
  if (mechanism === "tree") {
    const height = strategy.leaves.toString(2).length; // nodes that the first step is in
    return { mechanism: "gaussian", parameters: { noise_multiplier: noise }, count: count * height * strategy.restarts };
  }
  if (mechanism !== "toeplitz") return { mechanism, parameters, count };
  const { lower, upper } = sensitivity(strategy);
  return { mechanism: "gaussian_between", parameters: { least_noise: noise / upper, most_noise: noise / lower }, count };
}

/** Whether the coefficients are those of a strategy whose worst record is known. */
export const isFalling = (coefficients) => coefficients[0] > 0 && coefficients.every((one, k) => one >= 0 && one <= coefficients[Math.max(0, k - 1)]);

/**
 * How far a record moves the run that takes part in steps 0, b, 2 b and so on, enclosed with room for the quotient: no
 * term is negative, so that each of the at most steps + 2 overlaps + 8 roundings is relative to the sum of squares.
 */
export function sensitivity({ coefficients, steps, min_separation: apart }) {
  if (steps > MOST_STEPS) throw new RangeError(`steps must be in [1, ${MOST_STEPS}], got ${steps}`);
  let squares = 0;
  for (let row = 0; row < steps; ++row) {
    let sum = 0;
    for (let at = row % apart; at <= row && at < coefficients.length; at += apart) sum += coefficients[at];
    squares += sum * sum;
  }
  const room = (steps + 2 * Math.ceil(coefficients.length / apart) + 8) * 2 ** -52, root = Math.sqrt(squares);
  return { lower: root * (1 - room), upper: root * (1 + room) };
}
