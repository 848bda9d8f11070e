// SPDX-License-Identifier: Apache-2.0
// Answers of the library in WebAssembly, at the path that is given, to the questions on standard input.
import { readFileSync } from "node:fs";
import { answer, curve, guarantees, tradeoff } from "../../docs/calculator/answers.mjs";
import { load } from "../../docs/calculator/hockeystick.mjs";
import { question, restored } from "../../docs/calculator/question.mjs";
import * as snippets from "../../docs/calculator/snippets.mjs";
import { headline, meaning, statement } from "../../docs/calculator/words.mjs";

const library = await load(new Uint8Array(readFileSync(process.argv[2])));
const of = {
  ledger({ ledger, deltas, options }) {
    const run = library.run().addJson(ledger);
    return run.epsilon(deltas, options);
  },
  parts({ asked }) {
    return answer(library, asked);
  },
  dpsgd({ run, options }) {
    return library.dpsgdEpsilon(run, options);
  },
  curve({ asked, rates }) {
    const points = curve(library, asked), pairs = guarantees(library, asked, points);
    return { points, tradeoff: rates.map((rate) => tradeoff(pairs, asked.adjacency, rate)) };
  },
  link({ link }) {
    const state = restored(link), asked = question(state), result = answer(library, asked);
    const written = Object.entries(snippets).filter(([name]) => name.endsWith("Snippet"));
    const programs = written.map(([name, write]) => [name.replace("Snippet", ""), write(state, asked, result)]);
    const words = [...headline(asked, result, state), meaning(asked, result, state), statement(state, asked, result, library.version)];
    const target = asked.find ? asked.epsilon : Infinity;
    return { bounds: result.bounds, target, found: result.found?.value, programs: Object.fromEntries(programs), words };
  },
};
const answers = JSON.parse(readFileSync(0, "utf8")).map((one) => {
  try {
    return of[one.kind](one);
  } catch (error) {
    return { error: error.message, status: error.status };
  }
});
console.log(JSON.stringify(answers, (_, value) => (value === Infinity ? "inf" : value)));
