// SPDX-License-Identifier: Apache-2.0
// The worker that answers: one question at a time, the last one asked. It is ended and begun anew when a question
// comes while it still works on another, and when it does not answer.

const PATIENCE = 40; // milliseconds that a question may finish in, once there is a newer one
export const LONGEST = 60_000; // milliseconds until a question is given up

export class Client {
  #spawn;
  #heard;
  #longest;
  #worker = null;
  #id = 0;
  #busy = false;
  #next = null;
  #timer = 0;
  restarts = -1;

  /** `spawn` makes a worker, `heard` is called with what it says about the last question. */
  constructor(spawn, heard, longest = LONGEST) {
    [this.#spawn, this.#heard, this.#longest] = [spawn, heard, longest];
    this.#restart();
  }

  ask(question) {
    this.#next = { id: ++this.#id, question };
    if (!this.#busy) return this.#send();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#again(), PATIENCE);
  }

  /** Forgets what was asked: nothing more is heard of it. */
  cancel() {
    ++this.#id;
    this.#next = null;
    if (this.#busy) this.#restart();
  }

  #send() {
    const asked = this.#next;
    [this.#next, this.#busy] = [null, true];
    this.#worker.postMessage(asked);
    this.#timer = setTimeout(() => this.#giveUp(asked.id), this.#longest);
  }

  #again() {
    this.#restart();
    if (this.#next) this.#send();
  }

  #giveUp(id) {
    this.#restart();
    this.#tell({ id, error: `no answer within ${this.#longest / 1000} s: ask about fewer or simpler lines, or in Python` });
  }

  #tell(said) {
    if (said.id === undefined || said.id === this.#id) this.#heard(said);
  }

  #restart() {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#busy = false;
    ++this.restarts;
    const worker = (this.#worker = this.#spawn());
    worker.onmessage = ({ data }) => this.#message(data);
    worker.onerror = (event) => this.#failed(event);
  }

  #failed(event) {
    event.preventDefault?.();
    const id = this.#id;
    if (this.#busy) this.#restart();
    this.#tell({ id, error: `the library stopped: ${event.message ?? "unknown"}` });
  }

  #message(said) {
    this.#tell(said);
    if (said.isBroken) return this.#again();
    if (!said.done) return;
    clearTimeout(this.#timer);
    this.#busy = false;
    if (this.#next) this.#send();
  }
}
