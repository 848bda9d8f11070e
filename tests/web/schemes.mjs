// SPDX-License-Identifier: Apache-2.0
// What the page asks of the library: the parts of each link on standard input, or the message of an error. And what is
// said of least false negative rates, and the trade-off of an epsilon that overflows.
import { readFileSync } from "node:fs";
import { tradeoff } from "../../docs/calculator/answers.mjs";
import { SAMPLINGS } from "../../docs/calculator/mechanisms.mjs";
import { question, restored } from "../../docs/calculator/question.mjs";
import { commandSnippet } from "../../docs/calculator/snippets.mjs";
import { attack } from "../../docs/calculator/words.mjs";

const { links = [], missed = [] } = JSON.parse(readFileSync(0, "utf8"));
const asked = (link) => {
  try {
    const state = restored(link), made = question(state);
    return { parts: made.parts, command: SAMPLINGS[state.sampling].command ? commandSnippet(state, made, { question: made }) : "" };
  } catch (error) {
    return { error: error.message };
  }
};
console.log(JSON.stringify({ samplings: Object.keys(SAMPLINGS), answers: links.map(asked), attacks: missed.map(attack), rate: tradeoff([[1e4, 0.1]], "add-or-remove-one", 0) }));
