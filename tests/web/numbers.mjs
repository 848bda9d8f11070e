// SPDX-License-Identifier: Apache-2.0
// Numbers as the page reads and writes them: of {typed, whole, bounds} on standard input.
import { readFileSync } from "node:fs";
import { number, outward, rounded, whole } from "../../docs/calculator/numbers.mjs";

const given = JSON.parse(readFileSync(0, "utf8"));
const attempt = (read) => (text) => {
  try {
    return read("number", text);
  } catch (error) {
    return error.message;
  }
};
const hex = (text) => new DataView(BigUint64Array.of(BigInt("0x" + text)).buffer).getFloat64(0, true);
console.log(JSON.stringify({
  typed: given.typed.map(attempt(number)),
  whole: given.whole.map(attempt(whole)),
  outward: given.bounds.map(([low, high]) => outward(hex(low), hex(high))),
  rounded: given.bounds.map(([low, high]) => [rounded(hex(low), 3, false), rounded(hex(high), 3, true)]),
}));
