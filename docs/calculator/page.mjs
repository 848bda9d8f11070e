// SPDX-License-Identifier: Apache-2.0
// The page: what is typed goes into the link and to the worker; what comes back is shown.
import { tradeoff } from "./answers.mjs";
import { Client } from "./client.mjs";
import { Form } from "./form.mjs";
import { BadInput, outward } from "./numbers.mjs";
import { curvePicture, curveTable, tradeoffPicture } from "./pictures.mjs";
import { hash, question, restored, START } from "./question.mjs";
import { commandSnippet, cSnippet, javascriptSnippet, pythonSnippet } from "./snippets.mjs";
import { attack, headline, meaning, statement } from "./words.mjs";

const $ = (id) => document.getElementById(id);
const QUIET = 700; // milliseconds without typing until an answer is read out
const TABS = {
  Sentence: () => statement(state, asked, answered, version),
  Python: () => pythonSnippet(state, asked, answered),
  "Command line": () => commandSnippet(state, asked, answered),
  C: () => cSnippet(state, asked, answered),
  JavaScript: () => javascriptSnippet(state, asked, answered),
  Link: () => location.href,
};

let state, form, client, asked, isAnswered = false, answered = null, points = null, version = "", tab = "Sentence", speaking = 0, written = null;

/** `spawn` makes a worker; `module` is the compiled library. */
export function start(spawn, module) {
  state = restored(location.hash);
  form = new Form(state, changed);
  const spawned = () => {
    const worker = spawn();
    worker.postMessage({ id: 0, module });
    return worker;
  };
  client = new Client(spawned, heard, Number(new URLSearchParams(location.search).get("longest") ?? 60_000));
  globalThis.calculator = client; // for the console, and tests
  makeTabs();
  addEventListener("hashchange", () => location.hash !== `#${written}` && reset(restored(location.hash)));
  $("form").addEventListener("reset", (event) => {
    event.preventDefault();
    reset(structuredClone(START));
  });
  $("copy").onclick = copy;
  ask();
}

function reset(other) {
  state = other;
  form.show(state);
  changed();
}

function changed() {
  written = hash(state);
  history.replaceState(null, "", `#${written}`);
  ask();
}

function ask() {
  document.body.classList.add("working", "stale");
  try {
    asked = question(state);
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    client.cancel();
    return refuse(error.message);
  }
  isAnswered = false;
  client.ask(asked);
}

function heard(said) {
  if (said.version) return begun(said);
  if (said.error) return isAnswered ? showNoCurve(said.error) : refuse(said.error);
  if (said.result) show(said.result);
  if (said.points) showCurve(said.points);
  if (said.pairs) showTradeoff(said.pairs);
  if (said.done) document.body.classList.remove("stale");
}

function begun(said) {
  version = said.version;
  $("version").textContent = `hockeystick ${version}.`;
}

function refuse(message) {
  document.body.classList.remove("working");
  [answered, points] = [null, null];
  $("value").textContent = "—";
  $("problem").textContent = message;
  [$("problem").hidden, $("result").hidden] = [false, true];
  form.mark(message);
  say(message);
}

/** The answer stands, though more was too much to ask. */
function showNoCurve(message) {
  document.body.classList.remove("stale");
  for (const id of ["table", "tradeoff", "attack"]) $(id).textContent = "";
  $("curve").textContent = `There is no curve: ${message}`;
}

function show(result) {
  isAnswered = true;
  document.body.classList.remove("working");
  answered = result;
  const [large, small] = headline(asked, result, state);
  const below = document.createElement("small");
  below.textContent = small;
  $("value").replaceChildren(large, below);
  $("meaning").textContent = meaning(asked, result, state).replace(/e-(?=\d)/g, "e-\u2060"); // no line ends in 1e-
  [$("problem").hidden, $("result").hidden] = [true, false];
  form.mark("");
  showSnippet();
  say(`${large}, ${small}`.replaceAll("≤", "is at most").replaceAll("ε", "epsilon").replaceAll("δ", "delta"));
}

function showCurve(found) {
  points = found;
  const at = asked.seek === "delta" ? { delta: answered?.bounds.upper, upper: asked.epsilon } : { delta: asked.delta, ...answered?.bounds };
  $("curve").innerHTML = curvePicture(points, answered && at);
  $("table").innerHTML = curveTable(points, (lower, upper) => outward(lower, upper));
}

function showTradeoff(pairs) {
  const rate = (share) => tradeoff(pairs, asked.adjacency, share);
  $("tradeoff").innerHTML = tradeoffPicture(rate);
  $("attack").textContent = attack(rate(0.01));
}

/** Read out once nobody types any more. */
function say(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => ($("spoken").textContent = text), QUIET);
}

function makeTabs() {
  const list = document.querySelector(".tabs");
  list.replaceChildren(...Object.keys(TABS).map((name, k) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: name, id: `tab-${k}` });
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", "program");
    button.onclick = () => choose(name);
    return button;
  }));
  list.addEventListener("keydown", ({ key }) => {
    const names = Object.keys(TABS), step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step) choose(names[(names.indexOf(tab) + step + names.length) % names.length], true);
  });
  choose(tab);
}

function choose(name, isFocused) {
  tab = name;
  for (const button of document.querySelectorAll(".tabs button")) {
    const isChosen = button.textContent === tab;
    button.setAttribute("aria-selected", isChosen);
    button.tabIndex = isChosen ? 0 : -1;
    if (isChosen) $("program").setAttribute("aria-labelledby", button.id);
    if (isChosen && isFocused) button.focus();
  }
  showSnippet();
}

function showSnippet() {
  $("copied").textContent = "";
  $("snippet").className = tab === "Sentence" || tab === "Link" ? "prose" : "";
  $("snippet").textContent = answered ? TABS[tab]() : "";
}

async function copy() {
  try {
    await navigator.clipboard.writeText($("snippet").textContent);
    $("copied").textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren($("snippet")); // a page from a file may not write to the clipboard
    $("copied").textContent = document.execCommand("copy") ? "Copied." : "Selected: copy it by hand.";
  }
}
