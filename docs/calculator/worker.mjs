// SPDX-License-Identifier: Apache-2.0
// Asks the library apart from the page, so that typing never waits. The first message brings the compiled library.
import { answer, curve, guarantees } from "./answers.mjs";
import { load } from "./hockeystick.mjs";

let library = null;

function attempt(id, work) {
  try {
    work();
    return true;
  } catch (error) {
    const isLibrarys = error.status !== undefined || error instanceof RangeError;
    postMessage({ id, error: isLibrarys ? error.message : `the library failed: ${error}`, isBroken: !isLibrarys });
    return false;
  }
}

self.onmessage = async ({ data: { id, question, module } }) => {
  library ??= load(module);
  const loaded = await library;
  if (question === undefined) return postMessage({ version: loaded.version });
  const started = performance.now();
  const isAnswered = attempt(id, () => {
    const result = answer(loaded, question);
    postMessage({ id, result, milliseconds: performance.now() - started });
    question = result.question;
  });
  if (isAnswered)
    attempt(id, () => {
      const points = curve(loaded, question);
      postMessage({ id, points });
      postMessage({ id, pairs: guarantees(loaded, question, points) });
    });
  postMessage({ id, done: true });
};
