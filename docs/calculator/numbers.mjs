// SPDX-License-Identifier: Apache-2.0
// Numbers as people type them, and bounds as people read them.

const LONGEST_SHOWN = 60;
const COMMAS = /^[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?$/;
const PLAIN = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$/i;

export class BadInput extends Error {}

function shown(text) {
  return text.length <= LONGEST_SHOWN ? `'${text}'` : `'${text.slice(0, LONGEST_SHOWN)}...'`;
}

function plain(text) {
  const trimmed = text.trim(), bare = COMMAS.test(trimmed) ? trimmed.replaceAll(",", "") : trimmed;
  return PLAIN.test(bare) ? bare : null;
}

/** Whether it is 0 as typed, or no 0: a number too small for a double is another question. */
const isKept = (value, typed) => Number.isFinite(value) && (value !== 0 || !/[1-9]/.test(typed.split("/")[0].split(/e/i)[0]));

/** The double nearest to 0.01, 1e-5, 10,000, 1% or 256/60000. */
export function number(name, text) {
  const typed = text.trim();
  if (typed === "") throw new BadInput(`${name} must be given`);
  if (typed.endsWith("%")) {
    const [digits, exponent = "0"] = (plain(typed.slice(0, -1)) ?? "x").toLowerCase().split("e");
    const value = Number(`${digits}e${Number(exponent) - 2}`);
    if (isKept(value, typed)) return value;
  } else if (typed.includes("/")) {
    const [above, below] = typed.split("/").map(plain);
    const value = Number(above ?? NaN) / Number(below ?? NaN);
    if (typed.split("/").length === 2 && isKept(value, typed)) return value;
  } else if (plain(typed) !== null && (isKept(Number(plain(typed)), typed) || !Number.isFinite(Number(plain(typed))))) {
    return Number(plain(typed));
  }
  throw new BadInput(`${name} must be a number, such as 0.01, 1e-5, 10,000, 1% or 256/60000, got ${shown(typed)}`);
}

/** A whole number: 10000, 10,000 or 1e4. */
export function whole(name, text) {
  const value = number(name, text);
  if (!Number.isSafeInteger(value)) throw new BadInput(`${name} must be a whole number, such as 10000 or 1e4, got ${shown(text.trim())}`);
  return value;
}

/** A list of numbers, by commas or spaces. */
export function list(name, text) {
  const items = text.split(/[\s,;]+/).filter((item) => item !== "");
  if (items.length === 0) throw new BadInput(`${name} must be given: numbers, by spaces`);
  return items.map((item) => number(name, item));
}

/** A finite double as mantissa * 2^exponent. */
function parts(x) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(x));
  const high = bits.getUint32(0), biased = high >>> 20;
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4));
  return biased === 0 ? [fraction, -1074] : [fraction | (1n << 52n), biased - 1075];
}

/** x * 10^places as a whole number, rounded down or up; exact, for x >= 0. */
function scaled(x, places, up) {
  let [above, exponent] = parts(x), below = 1n;
  if (exponent >= 0) above <<= BigInt(exponent);
  else below <<= BigInt(-exponent);
  if (places >= 0) above *= 10n ** BigInt(places);
  else below *= 10n ** BigInt(-places);
  const floor = above / below;
  return up && floor * below < above ? floor + 1n : floor;
}

/** The exponent of the first digit: 2 of 345. */
function magnitude(x) {
  return Number(x.toExponential(20).split("e")[1]);
}

function decimal(digits, places) {
  if (digits === 0n) return "0";
  if (places <= 0) return (digits * 10n ** BigInt(-places)).toString();
  const written = digits.toString();
  const exponent = written.length - 1 - places;
  if (exponent < -4) return `${written[0]}${written.length > 1 ? "." + written.slice(1) : ""}e${exponent}`;
  const padded = written.padStart(places + 1, "0");
  return `${padded.slice(0, -places)}.${padded.slice(-places)}`;
}

/** A number >= 0 in decimal, rounded down or up. */
export function rounded(x, digits, up) {
  if (!Number.isFinite(x)) return "infinite";
  if (x === 0) return "0";
  const places = digits - 1 - magnitude(x);
  return decimal(scaled(x, places, up), places);
}

const MOST_DIGITS = 6;

/** Both bounds in decimal, never rounded inward, with five or six digits to tell them apart. */
export function outward(lower, upper, least = 5) {
  if (!Number.isFinite(upper) || upper === 0) return [Number.isFinite(lower) ? rounded(lower, least, false) : "infinite", rounded(upper, least, true)];
  const gap = (upper - lower) / upper;
  const digits = Math.min(Math.max(gap > 0 ? 1 + Math.ceil(-Math.log10(gap)) : MOST_DIGITS, least), MOST_DIGITS);
  const places = digits - 1 - magnitude(upper);
  return [decimal(scaled(lower, places, false), places), decimal(scaled(upper, places, true), places)];
}

/** A number as it is written in a program: the shortest that reads back. */
export function literal(x) {
  if (Number.isSafeInteger(x)) return String(x);
  const plain = String(x), short = x.toExponential().replace("e+", "e");
  return short.length < plain.length ? short : plain.replace("e+", "e");
}
