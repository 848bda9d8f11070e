// SPDX-License-Identifier: Apache-2.0
// What is said of least false negative rates on standard input, and the trade-off of an epsilon that overflows.
import { readFileSync } from "node:fs";
import { tradeoff } from "../../docs/calculator/answers.mjs";
import { attack } from "../../docs/calculator/words.mjs";

const rates = JSON.parse(readFileSync(0, "utf8"));
const rate = tradeoff([[1e4, 0.1]], "add-or-remove-one", 0);
console.log(JSON.stringify(rates.map((missed) => ({ attack: attack(missed), rate }))));
