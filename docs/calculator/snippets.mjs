// SPDX-License-Identifier: Apache-2.0
// The question as a program: Python, the command line, C and JavaScript.
import { SEARCH } from "./answers.mjs";
import { asLibrary } from "./matrices.mjs";
import { MECHANISMS, SAMPLINGS, SCHEME_TYPES } from "./mechanisms.mjs";
import { literal } from "./numbers.mjs";
import { scheme } from "./question.mjs";

const inner = (mechanism) => /^(\w+)\((\w+)\)$/.exec(mechanism)?.slice(1) ?? [null, mechanism];
const typeOf = (name) => MECHANISMS[name]?.type ?? SCHEME_TYPES[name];
const OF_MECHANISM = (name) => new Set((MECHANISMS[name]?.parameters ?? []).map((one) => one.name));

/** The parameters of a part: those of the mechanism, and those of the scheme around it; `said` writes a word. */
function split({ mechanism, parameters }, said) {
  const [outer, name] = inner(mechanism), own = OF_MECHANISM(name), mine = {}, schemes = {};
  for (const [key, value] of Object.entries(parameters)) (outer === null || own.has(key) ? mine : schemes)[key] = value;
  if (name === "shuffled_local" && "choices" in mine) mine.randomizer = said("k-ary");
  return { outer, name, mine, schemes };
}

const python = (value) => (Array.isArray(value) ? `[${value.map(literal).join(", ")}]` : typeof value === "string" ? value : literal(value));
const keywords = (parameters) => Object.entries(parameters).map(([key, value]) => `${key}=${key === "replacement" ? "True" : python(value)}`).join(", ");

function pythonPart(part) {
  const { outer, name, mine, schemes } = split(part, JSON.stringify);
  const mechanism = `hs.${typeOf(name)}(${keywords(mine)})`;
  const around = outer === "selected_steps" ? "random_allocation" : outer;
  return outer === null ? mechanism : `${mechanism}.${around}(${keywords(schemes)})`;
}

const pythonRun = (parts) => parts.map((part) => `${python(part.count)} * ${pythonPart(part)}`).join("\n    + ");
const asPython = (parts) => (parts.length > 1 ? `(\n    ${pythonRun(parts)}\n)` : pythonRun(parts));

/** In Python: what the page asks, in two calls. */
export function pythonSnippet(state, question, result) {
  const adjacency = `adjacency="${question.adjacency}"`;
  if (question.find) {
    const name = question.find.name, variable = name === "count" ? "count" : name;
    const parts = question.parts.map((part, k) => {
      if (k !== question.find.part) return part;
      return name === "count" ? { ...part, count: "count" } : { ...part, parameters: { ...part.parameters, [name]: name } };
    });
    const body = asPython(parts).replaceAll("\n", "\n    ");
    return `import hockeystick as hs

def run(${variable}):
    return ${body}

limits = dict(${adjacency}, tolerance=${literal(SEARCH.tolerance)})
found = hs.calibrate(run, epsilon=${literal(question.epsilon)}, delta=${literal(question.delta)}, **limits)
print(found, run(found).epsilon_bounds(delta=${literal(question.delta)}, **limits))
`;
  }
  const asked = question.seek === "delta" ? `delta_bounds(epsilon=${literal(question.epsilon)}` : `epsilon_bounds(delta=${literal(question.delta)}`;
  return `import hockeystick as hs

run = ${asPython(result?.question.parts ?? question.parts)}
print(run.${asked}, ${adjacency}))
`;
}

function ledgerPart(part) {
  const { outer, name, mine, schemes } = split(part, String), mechanism = { type: typeOf(name), ...mine };
  if ("replacement" in schemes) schemes.replacement = true;
  return { mechanism: outer === null ? mechanism : { type: typeOf(outer), mechanism, ...schemes }, count: part.count };
}

/** The run as the command line and other programs read it. */
export function ledger(question) {
  const entries = question.parts.map((part) => JSON.stringify(ledgerPart(part)));
  return `{"adjacency": "${question.adjacency}", "ledger": [\n  ${entries.join(",\n  ")}\n]}`;
}

/** Of a run of DP-SGD that the command line has options for; else the run goes into a file. */
function options(state, question) {
  const numbers = scheme(state), sampling = SAMPLINGS[state.sampling];
  const said = [];
  if (state.seek !== "noise") said.push(`--noise-multiplier ${literal(question.parts[0].parameters.noise_multiplier)}`);
  if (numbers.batch !== undefined) said.push(`--batch-size ${numbers.batch} --dataset-size ${numbers.records}`);
  else said.push(`--sampling-probability ${literal(numbers.rate)}`);
  if (state.seek !== "count") said.push(`--steps ${numbers.steps}`);
  if (numbers.drops) said.push("--drop-last");
  return [...said, `--sampling ${sampling.command}`, `--adjacency ${question.adjacency}`];
}

/** On the command line. */
export function commandSnippet(state, question, result) {
  const closely = question.find ? [`--tolerance ${literal(SEARCH.tolerance)}`] : [];
  const target = question.seek === "delta" ? [`--epsilon ${literal(question.epsilon)}`] : [`--delta ${literal(question.delta)}`];
  if (state.kind === "dpsgd" && SAMPLINGS[state.sampling].command) {
    const command = question.find ? "calibrate" : question.seek === "delta" ? "delta" : "epsilon";
    const counted = SAMPLINGS[state.sampling].unit === "epochs" ? "epochs" : "steps";
    const sought = question.find ? [`--parameter ${question.find.name === "count" ? counted : "noise-multiplier"}`, `--epsilon ${literal(question.epsilon)}`] : [];
    return `hockeystick ${[command, ...sought, ...options(state, question), ...target, ...closely].join(" \\\n  ")}\n`;
  }
  const command = question.seek === "delta" ? "delta" : "epsilon";
  return `cat > run.json <<'END'\n${ledger(result.question)}\nEND\nhockeystick ${command} --run run.json ${[...target, ...closely].join(" ")}\n`;
}

function cPart({ mechanism, parameters, count }, k) {
  const lists = Object.entries(parameters).filter(([, value]) => Array.isArray(value))
    .map(([name, value]) => `  const double ${name}${k}[] = {${value.map(literal).join(", ")}};\n`);
  const named = Object.entries(parameters).map(([name, value]) =>
    Array.isArray(value) ? `{"${name}", 0, ${name}${k}, ${value.length}}` : `{"${name}", ${literal(value)}, NULL, 0}`);
  return `${lists.join("")}  const hs_parameter part${k}[] = {${named.join(", ")}};
  hs_run_add(run, "${mechanism}", part${k}, ${named.length}, ${count}) < 0 ||`;
}

/** In C: a whole program. */
export function cSnippet(state, question, result) {
  const parts = result.question.parts.map(asLibrary).map(cPart);
  const declared = parts.map((part) => part.slice(0, part.lastIndexOf("\n"))).join("\n");
  const added = parts.map((part) => part.slice(part.lastIndexOf("\n") + 3)).join("\n      ");
  const [ask, at] = question.seek === "delta" ? ["hs_delta", question.epsilon] : ["hs_epsilon", question.delta];
  const closely = question.find ? `\n  options.tolerance = ${literal(SEARCH.tolerance)};` : "";
  return `#include <hockeystick.h>
#include <stdio.h>

int main(void) {
${declared}
  const double at = ${literal(at)};
  hs_options options;
  hs_answer answer;
  hs_run *run = hs_run_new();
  hs_default_options(&options, sizeof options);
  options.adjacency = HS_${question.adjacency.replaceAll("-", "_").toUpperCase()};${closely}
  if (${added}
      ${ask}(run, &at, 1, &options, &answer) < 0) {
    fprintf(stderr, "%s\\n", hs_last_error());
    return 1;
  }
  printf("%.17g %.17g\\n", answer.lower, answer.upper);
  hs_run_free(run);
  return 0;
}
`;
}

/** In JavaScript, for Node or a page. */
export function javascriptSnippet(state, question, result) {
  const added = result.question.parts.map(asLibrary).map(({ mechanism, parameters, count }) => `run.add("${mechanism}", ${JSON.stringify(parameters)}, ${count});`);
  const [ask, at] = question.seek === "delta" ? ["delta", question.epsilon] : ["epsilon", question.delta];
  const closely = question.find ? `, tolerance: ${literal(SEARCH.tolerance)}` : "";
  return `import { load } from "hockeystick";

const run = (await load()).run();
${added.join("\n")}
const [{ lower, upper }] = run.${ask}([${literal(at)}], { adjacency: "${question.adjacency}"${closely} });
console.log(lower, upper);
`;
}
