// SPDX-License-Identifier: Apache-2.0
// What a person does with the page, in Chromium without a window: node browser.cjs <chromium> <page> <folder>.
// Prints, for each name, null or what went wrong. Screenshots go into the folder.
const assert = require("node:assert/strict");
const { chromium } = require("playwright-core");

const [browserPath, page, folder] = process.argv.slice(2);
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const UNANSWERED = "kind=pipeline&seek=epsilon&line=" + encodeURIComponent("mechanism=laplace");

/** Run in the page: its workers do not get questions about Laplace noise, as if they worked on them for ever. */
function withhold() {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (data) {
    if (!JSON.stringify(data.question ?? "").includes("laplace")) postMessage.call(this, data);
  };
}

let browser;

async function opened(hash = "", { width = 1280, height = 900, colorScheme = "light", query = "", first = () => {} } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  await context.addInitScript(first);
  const tab = await context.newPage();
  tab.failures = [];
  tab.requests = [];
  tab.on("pageerror", (error) => tab.failures.push(error.message));
  tab.on("console", (message) => message.type() === "error" && tab.failures.push(message.text()));
  tab.on("request", (request) => tab.requests.push(request.url()));
  await tab.goto(`file://${page}${query}#${hash}`);
  return tab;
}

const value = (tab) => tab.textContent("#value");
const isDone = (tab) => tab.waitForFunction(() => !document.body.classList.contains("stale"), null, { timeout: 90_000 }); // the page gives up after 60 s
const picture = (tab, id) => tab.innerHTML(`#${id}`);
const settled = async (tab) => { await tab.waitForSelector("#curve svg", { timeout: 20_000 }); await isDone(tab); };

/** Types, and waits until another answer, and its curve, are there. */
async function typed(tab, selector, text) {
  const before = await value(tab);
  await tab.fill(selector, text);
  await tab.waitForFunction((old) => document.getElementById("value").textContent !== old, before, { timeout: 20_000 });
  await isDone(tab);
}

const CHECKS = {
  async "the first answer is there, and nothing was asked of a network"() {
    const tab = await opened();
    await settled(tab);
    assert.match(await value(tab), /^1\.27908 ≤ ε ≤ 1\.2791\d?certified, at δ = 1e-6$/);
    assert.deepEqual(tab.requests.filter((url) => !/^(file|blob|data):/.test(url)), []);
    assert.deepEqual(tab.failures, []);
    await tab.screenshot({ path: `${folder}/desktop.png`, fullPage: true });
  },
  async "typing redraws the answer, the curve and the trade-off"() {
    const tab = await opened();
    await settled(tab);
    const before = [await picture(tab, "curve"), await picture(tab, "tradeoff"), await tab.textContent("#snippet")];
    await typed(tab, "#noise", "0.8");
    const after = [await picture(tab, "curve"), await picture(tab, "tradeoff"), await tab.textContent("#snippet")];
    before.forEach((one, k) => assert.notEqual(one, after[k]));
    assert.match(after[2], /noise multiplier 0.8/);
  },
  async "every kind of question answers, and its programs are shown"() {
    const tab = await opened();
    await settled(tab);
    for (const [seek, shown] of [["delta", /δ ≤/], ["noise", /^Noise multiplier [\d.]+certified/], ["count", /^Steps [\d,]+certified/]]) {
      await tab.selectOption("#seek", seek);
      await tab.waitForFunction((source) => new RegExp(source).test(document.getElementById("value").textContent), shown.source, { timeout: 20_000 });
      await isDone(tab);
      for (const name of ["Python", "Command line", "C", "JavaScript", "Link", "Sentence"]) {
        await tab.getByRole("tab", { name, exact: true }).click();
        assert.ok((await tab.textContent("#snippet")).length > 40, name);
      }
    }
    assert.deepEqual(tab.failures, []);
  },
  async "every way to draw batches is offered, and answers"() {
    const tab = await opened("batch=600&records=60000&noise=2");
    await settled(tab);
    const names = await tab.$$eval("#sampling option", (options) => options.map((option) => option.value));
    const all = ["poisson", "groups", "truncated", "fixed", "replacement", "allocation", "allocation_once", "selected", "shuffled", "shuffled_once", "cyclic"];
    assert.deepEqual(names, all);
    for (const name of names) {
      await tab.selectOption("#sampling", name);
      await isDone(tab);
      assert.match(await value(tab), /≤ ε ≤|ε =/, name);
      assert.doesNotMatch(await picture(tab, "curve"), /class="(upper|lower)" points="[^"]*\b52\.0,[\d.]+ 52\.0,/, `a stroke at 0: ${name}`);
    }
  },
  async "a link restores the question"() {
    const tab = await opened();
    await settled(tab);
    await typed(tab, "#noise", "1.3");
    await tab.selectOption("#seek", "delta");
    await tab.waitForFunction(() => document.getElementById("value").textContent.includes("δ ≤"));
    await typed(tab, "#epsilon", "0.75");
    const other = await opened(new URL(tab.url()).hash.slice(1));
    await settled(other);
    assert.equal(await value(other), await value(tab));
    assert.equal(await other.inputValue("#noise"), "1.3");
    await other.evaluate(() => (location.hash = "kind=dpsgd&noise=2.5")); // another link in the same page
    await other.waitForFunction(() => document.getElementById("noise").value === "2.5");
  },
  async "a link that says nonsense is harmless"() {
    const tab = await opened("kind=x&seek=y&sampling=__proto__&delta=%3Cscript%3E&line=mechanism%3D%22%3E%3Cimg&adjacency=3&find=9.q");
    await tab.waitForSelector("#problem:not([hidden])");
    assert.match(await tab.textContent("#problem"), /^delta must be a number/);
    assert.deepEqual(tab.failures, []);
  },
  async "lines of a pipeline are added, changed and removed"() {
    const tab = await opened("kind=pipeline&seek=epsilon");
    await settled(tab);
    const before = await value(tab);
    await tab.click("#add");
    await tab.waitForFunction((old) => document.getElementById("value").textContent !== old, before);
    assert.equal(await tab.evaluate(() => document.activeElement.id), "line-2-mechanism");
    await tab.selectOption("#line-2-mechanism", "exponential_mechanism");
    await typed(tab, "#line-2-epsilon", "0.3");
    await tab.getByRole("button", { name: "Remove line 3" }).click();
    await tab.waitForFunction((old) => document.getElementById("value").textContent === old, before);
  },
  async "bad input is refused in the core's words, and good input answers again"() {
    const tab = await opened();
    await settled(tab);
    for (const [selector, text, message] of [["#delta", "2", /^delta must be in \[0, 1\), got 2$/], ["#noise", "0", /^noise_multiplier must be in \[0.001, 1e\+12\], got 0$/], ["#batch", "abc", /^batch size must be a number/]]) {
      const good = await tab.inputValue(selector);
      await tab.fill(selector, text);
      await tab.waitForSelector("#problem:not([hidden])");
      assert.match(await tab.textContent("#problem"), message);
      assert.equal(await tab.getAttribute(selector, "aria-invalid"), "true");
      await typed(tab, selector, good);
      assert.equal(await tab.getAttribute(selector, "aria-invalid"), "false");
    }
  },
  async "typing again stops work that takes long"() {
    const tab = await opened(UNANSWERED, { first: withhold });
    await tab.waitForFunction(() => globalThis.calculator && document.body.classList.contains("stale"));
    const before = await tab.evaluate(() => calculator.restarts);
    await tab.check("[name=kind][value=dpsgd]", { force: true });
    await tab.waitForFunction(() => /ε/.test(document.getElementById("value").textContent), null, { timeout: 20_000 });
    assert.equal(await tab.evaluate(() => calculator.restarts), before + 1);
    assert.ok(await tab.isHidden("#problem"));
  },
  async "a worker that does not answer is given up and begun anew"() {
    const tab = await opened(UNANSWERED, { first: withhold, query: "?longest=3000" });
    await tab.waitForSelector("#problem:not([hidden])");
    assert.match(await tab.textContent("#problem"), /^no answer within 3 s/);
    await tab.check("[name=kind][value=dpsgd]", { force: true });
    await tab.waitForFunction(() => /ε/.test(document.getElementById("value").textContent), null, { timeout: 20_000 });
  },
  async "an answer stands where its curve fails"() {
    const first = () => {
      const given = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage");
      const changed = (data) => (data.points ? { id: data.id, error: "out of memory" } : data);
      Object.defineProperty(Worker.prototype, "onmessage", { set(heard) { given.set.call(this, ({ data }) => data.pairs || heard({ data: changed(data) })); } });
    };
    const tab = await opened("", { first });
    await tab.waitForFunction(() => document.getElementById("curve").textContent.startsWith("There is no curve: out of memory"));
    assert.match(await value(tab), /^1\.279/);
    assert.ok(await tab.isHidden("#problem"));
  },
  async "a phone shows it all, nothing beyond its edges, with room for a thumb"() {
    for (const [width, hash] of [[375, ""], [375, "kind=pipeline"], [320, "seek=noise"], [375, "kind=pipeline&seek=count"]]) {
      const tab = await opened(hash, { width, height: 700 });
      await settled(tab);
      assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} ${hash}`);
      const small = await tab.$$eval("button, input:not([type=radio]), select", (all) => all.filter((one) => one.offsetParent && one.getBoundingClientRect().height < 43).map((one) => one.id));
      assert.deepEqual(small, []);
      await tab.focus(hash.startsWith("kind") ? "#line-0-count" : "#delta");
      const answer = await tab.$eval("#value", (one) => one.getBoundingClientRect().toJSON());
      assert.ok(answer.top >= 0 && answer.bottom <= 700, "the answer stays in sight while typing");
      await tab.screenshot({ path: `${folder}/phone-${width}-${hash.replace(/\W/g, "-")}.png`, fullPage: true });
    }
  },
  async "all can be done by keyboard, and a screen reader hears the answer"() {
    const tab = await opened();
    await settled(tab);
    const nameless = await tab.$$eval("input, select", (all) => all.filter((one) => !one.labels.length).map((one) => one.id));
    assert.deepEqual(nameless, []);
    const order = [];
    for (let k = 0; k < 40; ++k) {
      await tab.keyboard.press("Tab");
      const id = await tab.evaluate(() => document.activeElement.name || document.activeElement.id);
      if (order.includes(id)) break;
      order.push(id);
    }
    assert.deepEqual(order.slice(0, 11), ["kind", "seek", "noise", "sampling", "size", "batch", "records", "length", "epochs", "delta", "adjacency"]);
    await tab.focus("[role=tab][aria-selected=true]");
    await tab.keyboard.press("ArrowRight");
    assert.equal(await tab.evaluate(() => document.activeElement.textContent), "Python");
    assert.match(await tab.textContent("#snippet"), /^import hockeystick as hs/);
    await tab.focus("#noise");
    await tab.keyboard.press("Control+A");
    await tab.keyboard.type("1.7");
    await tab.waitForFunction(() => /^0\.\d+ is at most epsilon is at most 0\.\d+, certified, at delta = 1e-6$/.test(document.getElementById("spoken").textContent), null, { timeout: 10_000 });
    assert.equal(await tab.$eval("#curve svg", (one) => one.getAttribute("role")), "img");
  },
  async "axe finds nothing that keeps anybody out, in light and in dark"() {
    let axe;
    try {
      axe = require.resolve("axe-core");
    } catch {
      return { skipped: "axe-core of npm is not in NODE_PATH" };
    }
    for (const [hash, colorScheme] of [["", "light"], ["", "dark"], ["kind=pipeline&seek=count", "light"], ["seek=noise&delta=abc", "dark"]]) {
      const tab = await opened(hash, { colorScheme });
      await (hash.endsWith("abc") ? tab.waitForSelector("#problem:not([hidden])") : settled(tab));
      await tab.addScriptTag({ path: axe });
      const { violations, passes } = await tab.evaluate(() => axe.run());
      assert.ok(passes.length > 20, `${passes.length} rules were tried`);
      assert.equal(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor), colorScheme === "dark" ? "rgb(18, 20, 23)" : "rgb(245, 246, 248)");
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 100))]), [], `${hash} ${colorScheme}`);
    }
  },
};

(async () => {
  browser = await chromium.launch({ executablePath: browserPath, args: FLAGS });
  const found = {};
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      found[name] = (await check()) ?? null;
    } catch (error) {
      found[name] = String(error.stack ?? error).slice(0, 1500);
    }
    await Promise.all(browser.contexts().map((context) => context.close()));
  }
  await browser.close();
  console.log(JSON.stringify(found));
})();
