// SPDX-License-Identifier: Apache-2.0
// What the page asks of the library: the parts of each link on standard input, or the message of an error.
import { readFileSync } from "node:fs";
import { SAMPLINGS } from "../../docs/calculator/mechanisms.mjs";
import { question, restored } from "../../docs/calculator/question.mjs";
import { commandSnippet } from "../../docs/calculator/snippets.mjs";

const links = JSON.parse(readFileSync(0, "utf8"));
const asked = (link) => {
  try {
    const state = restored(link), made = question(state);
    return { parts: made.parts, command: SAMPLINGS[state.sampling].command ? commandSnippet(state, made, { question: made }) : "" };
  } catch (error) {
    return { error: error.message };
  }
};
console.log(JSON.stringify({ samplings: Object.keys(SAMPLINGS), answers: links.map(asked) }));
