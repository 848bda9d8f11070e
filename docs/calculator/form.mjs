// SPDX-License-Identifier: Apache-2.0
// The fields of the page: what they show of the state, and what they make of it.
import { ADJACENCIES, MECHANISMS, SAMPLINGS } from "./mechanisms.mjs";
import { adjacencies, fields, findable, newLine } from "./question.mjs";

const $ = (id) => document.getElementById(id);
const NAMES = ["seek", "noise", "sampling", "size", "batch", "records", "last", "rate", "largest", "selected", "group", "length", "epochs", "steps", "find", "epsilon", "delta", "adjacency"];

const escaped = (text) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

function choose(select, choices, value) {
  const said = JSON.stringify(choices);
  if (select.dataset.choices !== said) {
    select.replaceChildren(...choices.map(([one, label]) => new Option(label, one)));
    select.dataset.choices = said;
  }
  select.value = value;
}

export class Form {
  #state;
  #changed;
  #wanted; // the adjacency that was chosen by hand

  /** `changed` is called after the state was. */
  constructor(state, changed) {
    [this.#state, this.#changed] = [state, changed];
    $("form").addEventListener("input", (event) => this.#typed(event.target));
    $("form").addEventListener("submit", (event) => event.preventDefault());
    $("add").onclick = () => this.#add();
    $("lines").addEventListener("click", ({ target }) => target.matches("button") && this.#remove(Number(target.dataset.line)));
    this.show(state);
  }

  /** Shows another state. */
  show(state) {
    this.#state = state;
    this.#wanted = state.adjacency;
    this.#lines();
    this.#refresh();
  }

  /** Marks the field that a message is about. */
  mark(message) {
    const said = message.replaceAll("_", " ").toLowerCase();
    for (const input of $("form").querySelectorAll("input:not([type=radio])")) {
      const label = (input.dataset.said ?? input.labels[0]?.textContent ?? "").replace(/ \[.*| \(.*/, "").toLowerCase();
      const isWrong = message !== "" && label !== "" && said.startsWith(label) && input.offsetParent !== null;
      input.setAttribute("aria-invalid", isWrong);
      const described = (input.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && id !== "problem");
      input.setAttribute("aria-describedby", [...described, ...(isWrong ? ["problem"] : [])].join(" "));
    }
  }

  #typed(input) {
    const state = this.#state, { line, value: name } = input.dataset;
    if (input.name === "adjacency") this.#wanted = input.value;
    if (line === undefined) state[input.name] = input.value;
    else if (name === "mechanism") state.lines[line] = { ...newLine(input.value), count: state.lines[line].count };
    else if (name === "rate" || name === "count") state.lines[line][name] = input.value;
    else state.lines[line].values[name] = input.value;
    if (name === "mechanism") this.#lines(`#line-${line}-mechanism`);
    this.#refresh();
    this.#changed();
  }

  #add() {
    this.#state.lines.push(newLine("gaussian"));
    this.#lines(`#line-${this.#state.lines.length - 1}-mechanism`);
    this.#refresh();
    this.#changed();
  }

  #remove(line) {
    this.#state.lines.splice(line, 1);
    this.#lines("#add");
    this.#refresh();
    this.#changed();
  }

  #refresh() {
    const state = this.#state, shown = new Set(["seek", ...fields(state)]);
    for (const name of NAMES) document.querySelector(`[data-field="${name}"]`).hidden = !shown.has(name);
    document.querySelector(`[name="kind"][value="${state.kind}"]`).checked = true;
    [$("training").hidden, $("pipeline").hidden] = [state.kind !== "dpsgd", state.kind !== "pipeline"];
    choose($("sampling"), Object.entries(SAMPLINGS).map(([name, { label }]) => [name, label]), state.sampling);
    const known = adjacencies(state);
    if (known.length) state.adjacency = known.includes(this.#wanted) ? this.#wanted : known[0];
    choose($("adjacency"), known.map((name) => [name, ADJACENCIES[name]]), state.adjacency);
    const found = findable(state);
    if (!found.some(([value]) => value === state.find) && found.length) state.find = found[0][0];
    choose($("find"), found, state.find);
    for (const name of NAMES) if ($(name).value !== state[name]) $(name).value = state[name];
    for (const input of $("lines").querySelectorAll("input")) input.disabled = isSought(state, input.dataset);
    this.#words(known);
  }

  #words(known) {
    const state = this.#state, isTraining = state.kind === "dpsgd";
    $("sampling-help").textContent = SAMPLINGS[state.sampling].words;
    $("size").closest(".field").hidden ||= SAMPLINGS[state.sampling].sized === true;
    $("epsilon-label").textContent = state.seek === "delta" ? "Epsilon [nats]" : "Target epsilon [nats]";
    $("epsilon-help").textContent = state.seek === "delta" ? "" : "The most it may be at this delta";
    $("batch-help").textContent = ["poisson", "groups", "truncated"].includes(state.sampling) ? "Expected records in a batch" : "Records in a batch";
    $("adjacency-help").textContent = known.length === 0 ? "These lines have no relation in common that each is known under."
      : known.length < Object.keys(ADJACENCIES).length ? `Known only for ${known.length === 1 ? "this one" : "these"}${isTraining ? " with such batches" : " with these lines"}.` : "";
  }

  #lines(focused) {
    const mechanisms = Object.entries(MECHANISMS);
    $("lines").innerHTML = this.#state.lines.map((line, k) => lineHtml(line, k, mechanisms)).join("");
    if (focused) document.querySelector(focused).focus();
  }
}

/** Whether the number is what the page is to find. */
function isSought({ kind, seek, find }, { line, value }) {
  return kind === "pipeline" && (seek === "noise" || seek === "count") && find === `${line}.${value}`;
}

function fieldHtml(k, name, label, value, help) {
  const id = `line-${k}-${name}`;
  return `<div class="field"><label for="${id}">${label}<span class="unseen"> of line ${k + 1}</span></label><input id="${id}" data-line="${k}" data-value="${name}" data-said="${label.toLowerCase()} of line ${k + 1}" value="${escaped(value)}" aria-describedby="${id}-help" inputmode="text"><p class="help" id="${id}-help">${help}</p></div>`;
}

function lineHtml({ mechanism, values, rate, count }, k, mechanisms) {
  const { parameters, sampled } = MECHANISMS[mechanism], id = `line-${k}-mechanism`;
  const options = mechanisms.map(([name, { label }]) => `<option value="${name}"${name === mechanism ? " selected" : ""}>${label}</option>`);
  return `<fieldset class="line"><legend class="unseen">Line ${k + 1}</legend>
<div class="head"><div class="field"><label for="${id}">${k + 1}. Mechanism</label><select id="${id}" data-line="${k}" data-value="mechanism">${options.join("")}</select></div>
<button type="button" data-line="${k}" aria-label="Remove line ${k + 1}" title="Remove">✕</button></div>
<div class="grid">${parameters.map(({ name, label, help }) => fieldHtml(k, name, label, values[name], help)).join("")}
${fieldHtml(k, "count", "Times", count, "How often it runs")}
${sampled ? fieldHtml(k, "rate", "Sampling probability", rate, "Of Poisson samples; empty: on all records") : ""}</div></fieldset>`;
}
