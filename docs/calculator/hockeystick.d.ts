// SPDX-License-Identifier: Apache-2.0

/** Which pairs of datasets are neighbours. */
export type Adjacency = "add-or-remove-one" | "remove-one" | "add-one" | "replace-one" | "replace-special";

/** A certified interval: lower <= truth <= upper, rounding included. */
export interface Bounds {
  lower: number;
  upper: number;
  /** Why the interval is wider than the tolerance; "theory" if the truth is not known more closely. */
  limitedBy: null | "memory" | "rounding" | "passes" | "theory";
  /** With "memory": the bytes that it would have taken, about. */
  requiredBytes: number;
}

export interface Options {
  /** upper - lower <= tolerance * upper; in (1e-12, 1). Default 1e-3. */
  tolerance?: number;
  /** Bytes that a question may take. Default 2^30. */
  memoryLimit?: number;
  /** Default: that of the ledger, else "add-or-remove-one". */
  adjacency?: Adjacency;
}

/** An argument is out of its range, or a question cannot be answered; `status` is that of the C library. */
export class HockeystickError extends Error {
  status: number;
  constructor(message: string, status: number);
}

/** A composition of mechanisms. It holds memory until `free` is called. */
export interface Run {
  /** Adds `count` runs of a mechanism by its name, such as "poisson_sampled(gaussian)". */
  add(mechanism: string, parameters?: Record<string, number | number[]>, count?: number): this;
  /** Adds all that a ledger holds, as Accountant.to_json of the Python package writes it. */
  addJson(ledger: string): this;
  /** Encloses the smallest epsilon at each delta in [0, 1). */
  epsilon(deltas: readonly number[], options?: Options): Bounds[];
  /** Encloses delta at each epsilon in [0, 1e4]. */
  delta(epsilons: readonly number[], options?: Options): Bounds[];
  free(): void;
}

export interface Hockeystick {
  readonly version: string;
  /** A run of nothing. */
  run(): Run;
  /** Encloses epsilon of one run of DP-SGD on Poisson batches. */
  dpsgdEpsilon(
    question: { noiseMultiplier: number; samplingProbability: number; steps: number; delta: number },
    options?: Options,
  ): Bounds;
}

export type Source = WebAssembly.Module | Uint8Array | ArrayBuffer | URL | string;

/** Compiles the library once: the module can be sent to workers, and given to `load`. */
export function compile(source?: Source): Promise<WebAssembly.Module>;

/** The library, by default from hockeystick.wasm beside this module. */
export function load(source?: Source): Promise<Hockeystick>;
