// SPDX-License-Identifier: Apache-2.0
// The C library (include/hockeystick.h) from JavaScript: memory, text and errors, and nothing else.

const ADJACENCIES = ["", "add-or-remove-one", "remove-one", "add-one", "replace-one", "replace-special"];
const LIMITED_BY = [null, "memory", "rounding", "passes", "theory"];
const OPTIONS_SIZE = 40, ANSWER_SIZE = 32, PARAMETER_SIZE = 24; // of the structs, with pointers of 32 bits

export class HockeystickError extends Error {
  constructor(message, status) {
    super(message);
    this.name = "HockeystickError";
    this.status = status;
  }
}

/** Compiles the library once: what it returns can be sent to workers, and given to `load`. */
export async function compile(source = new URL("hockeystick.wasm", import.meta.url)) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return WebAssembly.compile(source);
  if (source instanceof URL && source.protocol === "file:" && globalThis.process?.versions?.node) {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(source));
  }
  const response = await fetch(source);
  if (!response.ok) throw new HockeystickError(`${source} could not be read: ${response.status}`, -6);
  return WebAssembly.compile(await response.arrayBuffer());
}

export async function load(source) {
  const module = await compile(source);
  const c = {};
  Object.assign(c, (await WebAssembly.instantiate(module, system(c))).exports);
  c._initialize();
  return new Hockeystick(c);
}

// A number as C writes it by "%.{digits}g", but that ties go up.
function general(x, digits) {
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  const [mantissa, power] = x.toExponential(digits - 1).split("e"), exponent = Number(power);
  const plain = -4 <= exponent && exponent < digits;
  const text = (plain ? x.toFixed(digits - 1 - exponent) : mantissa).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  return plain ? text : `${text}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

// What the library asks of its host: numbers as text, of C and of JSON, the time, for a watch, and variables, which there are none of.
function system(c) {
  const view = () => new DataView(c.memory.buffer);
  return {
    env: {
      emscripten_notify_memory_growth() {},
      number_by_host(x, digits, at) {
        const { written } = new TextEncoder().encodeInto(general(x, digits), new Uint8Array(c.memory.buffer, at, 32));
        return written;
      },
      number_of_host: (at, length) => Number(new TextDecoder().decode(new Uint8Array(c.memory.buffer, at, length))),
    },
    wasi_snapshot_preview1: {
      clock_time_get(clock, precision, at) {
        view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
      },
      environ_sizes_get(count, bytes) {
        view().setUint32(count, 0, true);
        view().setUint32(bytes, 0, true);
        return 0;
      },
      environ_get: () => 0,
      proc_exit(code) {
        throw new Error(`the library ended with ${code}`);
      },
    },
  };
}

class Hockeystick {
  #c;

  constructor(exports) {
    this.#c = exports;
    if (exports.hs_abi_version() !== 1) throw new HockeystickError("hockeystick.wasm is of another version", -6);
    this.version = text(exports, exports.hs_version());
  }

  /** A run of nothing. */
  run() {
    return new Run(this.#c);
  }

  /** Encloses epsilon of one run of DP-SGD on Poisson batches. */
  dpsgdEpsilon({ noiseMultiplier, samplingProbability, steps, delta }, options = {}) {
    const c = this.#c;
    return withRoom(c, (room) => {
      const count = room.take(8);
      new DataView(c.memory.buffer).setBigInt64(count, whole("steps", steps), true);
      const asked = room.options(options), answer = room.take(ANSWER_SIZE);
      const [noise, rate, at] = [noiseMultiplier, samplingProbability, delta].map((x) => room.doubles([x]));
      check(c, c.hs_dpsgd_epsilon(noise, rate, count, at, 1, asked, answer));
      return room.answers(answer, 1)[0];
    });
  }
}

class Run {
  #c;
  #run;

  constructor(c) {
    this.#c = c;
    this.#run = c.hs_run_new();
    if (this.#run === 0) throw new HockeystickError("out of memory", -3);
  }

  /** Adds `count` runs of a mechanism by its name, such as "poisson_sampled(gaussian)". */
  add(mechanism, parameters = {}, count = 1) {
    const c = this.#c;
    withRoom(c, (room) => {
      const named = Object.entries(parameters);
      const at = room.take(PARAMETER_SIZE * Math.max(1, named.length));
      named.forEach(([name, value], k) => room.parameter(at + PARAMETER_SIZE * k, name, value));
      check(c, c.hs_run_add(this.#run, room.text(mechanism)[0], at, named.length, whole("count", count)));
    });
    return this;
  }

  /** Adds all that a ledger holds, as Accountant.to_json of the Python package writes it. */
  addJson(ledger) {
    const c = this.#c;
    withRoom(c, (room) => check(c, c.hs_run_add_json(this.#run, ...room.text(ledger))));
    return this;
  }

  /** Encloses the smallest epsilon at each delta. */
  epsilon(deltas, options = {}) {
    return this.#ask(this.#c.hs_epsilon, deltas, options);
  }

  /** Encloses delta at each epsilon. */
  delta(epsilons, options = {}) {
    return this.#ask(this.#c.hs_delta, epsilons, options);
  }

  free() {
    this.#c.hs_run_free(this.#run);
    this.#run = 0;
  }

  #ask(question, points, options) {
    const c = this.#c;
    return withRoom(c, (room) => {
      const answers = room.take(ANSWER_SIZE * Math.max(1, points.length));
      check(c, question(this.#run, room.doubles(points), points.length, room.options(options), answers));
      return room.answers(answers, points.length);
    });
  }
}

function whole(name, value) {
  if (!Number.isSafeInteger(value)) throw new HockeystickError(`${name} must be a whole number, got ${value}`, -1);
  return BigInt(value);
}

function check(c, status) {
  if (status < 0) throw new HockeystickError(text(c, c.hs_last_error()), status);
}

function text(c, at) {
  const bytes = new Uint8Array(c.memory.buffer);
  return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at)));
}

function withRoom(c, work) {
  const room = new Room(c);
  try {
    return work(room);
  } finally {
    room.free();
  }
}

/** Memory of the library that is lent for one call. Its buffer moves when it grows, so that views are never kept. */
class Room {
  #c;
  #taken = [];

  constructor(c) {
    this.#c = c;
  }

  take(bytes) {
    const at = this.#c.malloc(bytes);
    if (at === 0) throw new HockeystickError("out of memory", -3);
    this.#taken.push(at);
    return at;
  }

  free() {
    this.#taken.forEach((at) => this.#c.free(at));
  }

  get #view() {
    return new DataView(this.#c.memory.buffer);
  }

  doubles(values) {
    const at = this.take(8 * Math.max(1, values.length));
    values.forEach((x, k) => this.#view.setFloat64(at + 8 * k, x ?? Number.NaN, true)); // null would count as 0
    return at;
  }

  /** Where it is, and its length in bytes. */
  text(value) {
    const bytes = new TextEncoder().encode(value);
    const at = this.take(bytes.length + 1);
    new Uint8Array(this.#c.memory.buffer).set([...bytes, 0], at);
    return [at, bytes.length];
  }

  parameter(at, name, value) {
    const [written] = this.text(name), list = Array.isArray(value) ? this.doubles(value) : 0;
    const view = this.#view;
    view.setUint32(at, written, true);
    view.setFloat64(at + 8, list ? 0 : Number(value), true);
    view.setUint32(at + 16, list, true);
    view.setUint32(at + 20, list ? value.length : 0, true);
  }

  options({ tolerance, memoryLimit, adjacency }) {
    const at = this.take(OPTIONS_SIZE);
    this.#c.hs_default_options(at, OPTIONS_SIZE);
    const view = this.#view, which = ADJACENCIES.indexOf(adjacency ?? "");
    if (which < 0) throw new HockeystickError(`adjacency must be one of ${ADJACENCIES.slice(1).join(", ")}, got ${adjacency}`, -1);
    if (tolerance !== undefined) view.setFloat64(at + 8, tolerance, true);
    if (memoryLimit !== undefined) view.setBigUint64(at + 16, BigInt(memoryLimit), true);
    view.setInt32(at + 32, which, true);
    return at;
  }

  answers(at, count) {
    const view = this.#view;
    return Array.from({ length: count }, (_, k) => {
      const one = at + ANSWER_SIZE * k;
      return {
        lower: view.getFloat64(one, true),
        upper: view.getFloat64(one + 8, true),
        requiredBytes: Number(view.getBigUint64(one + 16, true)),
        limitedBy: LIMITED_BY[view.getInt32(one + 24, true)],
      };
    });
  }
}
