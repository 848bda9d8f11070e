// SPDX-License-Identifier: Apache-2.0
// Two pictures as text of SVG: epsilon against delta, and the trade-off of an attacker.
import { rounded } from "./numbers.mjs";

const SIZE = { width: 380, height: 250, left: 52, right: 12, top: 12, bottom: 40 };
const INNER = { width: SIZE.width - SIZE.left - SIZE.right, height: SIZE.height - SIZE.top - SIZE.bottom };

const x = (share) => (SIZE.left + INNER.width * share).toFixed(1);
const y = (share) => (SIZE.top + INNER.height * (1 - share)).toFixed(1);
const line = (points) => points.map(([across, up]) => `${x(across)},${y(up)}`).join(" ");

function frame(label, ticksBelow, ticksLeft, titleBelow, titleLeft, content) {
  const below = ticksBelow.map(([share, said]) =>
    `<line class="grid" x1="${x(share)}" x2="${x(share)}" y1="${y(0)}" y2="${y(1)}"/><text x="${x(share)}" y="${SIZE.height - 24}" text-anchor="middle">${said}</text>`);
  const left = ticksLeft.map(([share, said]) =>
    `<line class="grid" x1="${x(0)}" x2="${x(1)}" y1="${y(share)}" y2="${y(share)}"/><text x="${SIZE.left - 6}" y="${Number(y(share)) + 4}" text-anchor="end">${said}</text>`);
  return `<svg viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label="${label}">${below.join("")}${left.join("")}
<text class="title" x="${x(0.5)}" y="${SIZE.height - 6}" text-anchor="middle">${titleBelow}</text>
<text class="title" transform="translate(11 ${y(0.5)}) rotate(-90)" text-anchor="middle">${titleLeft}</text>${content}</svg>`;
}

const power = (exponent) => `10<tspan dy="-5" font-size="8">${String(exponent).replace("-", "−")}</tspan>`;

/** Round numbers from 0 to the highest, four to eight of them. */
function rounds(highest) {
  const rough = highest / 5, base = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * base).find((each) => each >= rough);
  return Array.from({ length: Math.floor(highest / step + 1e-9) + 1 }, (_, k) => Number((k * step).toPrecision(6)));
}

/** Points [delta, lower, upper]; `at` is what was asked: {delta, upper} or null. */
export function curvePicture(points, at) {
  const finite = points.filter(([, , upper]) => Number.isFinite(upper) && upper > 0);
  if (finite.length < 2) return `<p class="none">Epsilon is infinite, or 0, at these deltas: there is no curve.</p>`;
  const highest = Math.max(...finite.map(([, , upper]) => upper), 1e-6) * 1.04;
  const logs = points.map(([delta]) => Math.log10(delta)), least = Math.floor(logs.at(-1)), most = 0;
  const across = (epsilon) => Math.min(epsilon / highest, 1), up = (delta) => (Math.log10(delta) - least) / (most - least);
  const upper = finite.map(([delta, , high]) => [across(high), up(delta)]);
  const lower = finite.map(([delta, low]) => [across(low), up(delta)]);
  const attained = lower.filter(([share]) => share > 0);
  const every = Math.ceil((most - least) / 6);
  const ticks = Array.from({ length: Math.floor((most - least) / every) + 1 }, (_, k) => most - k * every);
  const asked = at && Number.isFinite(at.upper) && at.upper <= highest && at.delta > 10 ** least
    ? `<line class="asked" x1="${x(across(at.upper))}" x2="${x(across(at.upper))}" y1="${y(0)}" y2="${y(up(at.delta))}"/>
<line class="asked" x1="${x(0)}" x2="${x(across(at.upper))}" y1="${y(up(at.delta))}" y2="${y(up(at.delta))}"/>
<circle cx="${x(across(at.upper))}" cy="${y(up(at.delta))}" r="4"/>` : "";
  const label = `Epsilon from ${rounded(finite[0][2], 2, true)} at delta ${finite[0][0].toPrecision(1)} to ${rounded(finite.at(-1)[2], 3, true)} at delta ${finite.at(-1)[0].toExponential(0)}`;
  return frame(label, rounds(highest).map((tick) => [tick / highest, tick]), ticks.map((tick) => [(tick - least) / (most - least), tick === 0 ? "1" : power(tick)]),
    "epsilon [nats]", "delta",
    `<polygon class="between" points="${line([...upper, ...lower.reverse()])}"/><polyline class="upper" points="${line(upper)}"/><polyline class="lower" points="${line(attained)}"/>${asked}`);
}

/** `rate` gives the least false negative rate at a false positive rate. */
export function tradeoffPicture(rate) {
  const shares = Array.from({ length: 101 }, (_, k) => (k / 100) ** 2);
  const points = shares.map((share) => [share, rate(share)]);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((tick) => [tick, tick]);
  const label = `False negative rate of any attack is at least ${rounded(rate(0.01), 3, false)} at false positive rate 0.01, and ${rounded(rate(0.1), 3, false)} at 0.1`;
  return frame(label, ticks, ticks, "false positive rate of an attack", "false negative rate",
    `<polygon class="between" points="${line([[0, 0], ...points, [1, 0]])}"/><polyline class="blind" points="${line([[0, 1], [1, 0]])}"/><polyline class="upper" points="${line(points)}"/>`);
}

/** Rows of the curve to be read: one for each power of ten. */
export function curveTable(points, said) {
  const step = (points.length - 1) / Math.min(10, points.length - 1);
  const chosen = Array.from({ length: 11 }, (_, k) => points[Math.round(k * step)]);
  const rows = chosen.map(([delta, lower, upper]) => `<tr><td>${delta.toExponential(2)}</td>${said(lower, upper).map((one) => `<td>${one}</td>`).join("")}</tr>`);
  return `<table><thead><tr><th scope="col">delta</th><th scope="col">epsilon, at least</th><th scope="col">at most</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}
