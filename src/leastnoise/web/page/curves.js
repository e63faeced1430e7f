// The first view's pictures: error against ε, the best attack, and releases that are known.
import { shape } from "./element.js";
import { atMost, short } from "./words.js";

const WEAK = 5, VERY_WEAK = 10; // from here on a promise says little, and next to nothing
const LOW = 0.1, HIGH = 20;
const EDGE = { left: 58, right: 52, top: 12, bottom: 44 };

function sized(svg) {
  const width = svg.clientWidth || 480, height = svg.clientHeight || 260;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return { width, height };
}

function drawn(svg, title, parts) {
  const own = svg.querySelector("title");
  own.textContent = title;
  svg.replaceChildren(own, ...parts.filter(Boolean));
}

const text = (x, y, words, more = {}) => shape("text", { x, y, ...more }, words);
const line = (kind, x1, y1, x2, y2) => shape("line", { class: kind, x1, y1, x2, y2 });

/** Error against ε, both by powers of ten; on the right as a share of the count. */
export function drawCurve(svg, points, chosen, about) {
  const { width, height } = sized(svg);
  const errors = points.map((point) => point.error95);
  const seen = [...errors, chosen.error95].filter((error) => error > 0); // 0 is drawn at the foot
  const low = 10 ** Math.floor(Math.log10(Math.min(...seen, 1e9)));
  const high = Math.max(10 ** Math.ceil(Math.log10(Math.max(...seen, low) * 1.001)), 10 * low);
  const scale = (value, from, to, start, end) => start + (Math.log(value / from) / Math.log(to / from)) * (end - start);
  const x = (epsilon) => scale(Math.min(Math.max(epsilon, LOW), HIGH), LOW, HIGH, EDGE.left, width - EDGE.right);
  const y = (error) => scale(Math.max(error, low), low, high, height - EDGE.bottom, EDGE.top);
  const base = height - EDGE.bottom;
  const zone = (kind, from, to, words) => [
    shape("rect", { class: kind, x: x(from), y: EDGE.top, width: x(to) - x(from), height: base - EDGE.top }),
    text(x(to) - 6, EDGE.top + 6, words, { class: "zone", transform: `rotate(90 ${x(to) - 12} ${EDGE.top + 6})` })];
  const powers = [];
  for (let value = low; value <= high * 1.001; value *= 10) powers.push(value);
  const every = Math.ceil(powers.length / 6);
  const marks = powers.filter((_, place) => place % every === 0).flatMap((value) => [
    line("gridline", EDGE.left, y(value), width - EDGE.right, y(value)),
    text(EDGE.left - 6, y(value) + 4, `±${short(value)}`, { "text-anchor": "end" }),
    about > 0 ? text(width - EDGE.right + 6, y(value) + 4, `${short((100 * value) / about, 2)} %`) : null]);
  const ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20].flatMap((epsilon) => [
    line("gridline", x(epsilon), EDGE.top, x(epsilon), base),
    text(x(epsilon), base + 16, String(epsilon), { "text-anchor": "middle" })]);
  const path = points.map((point, place) => `${place ? "L" : "M"}${x(point.epsilon).toFixed(1)} ${y(errors[place]).toFixed(1)}`).join("");
  const at = { x: x(chosen.epsilon), y: y(chosen.error95) };
  const right = at.x > width * 0.55;
  drawn(svg, `The error falls as ε grows: ±${atMost(chosen.error95)} at ε = ${chosen.epsilon}.`, [
    ...zone("zone-weak", WEAK, VERY_WEAK, "weak"), ...zone("zone-very-weak", VERY_WEAK, HIGH, "very weak"),
    ...marks, ...ticks,
    line("axis", EDGE.left, base, width - EDGE.right, base),
    shape("path", { class: "curve", d: path }),
    line("edge", EDGE.left, at.y, at.x, at.y), line("edge", at.x, at.y, at.x, base),
    shape("circle", { class: "dot", cx: at.x, cy: at.y, r: 6 }),
    text(at.x + (right ? -10 : 10), at.y - 10, `±${atMost(chosen.error95)} at ε = ${chosen.epsilon}`, { class: "mark", "text-anchor": right ? "end" : "start" }),
    text((EDGE.left + width - EDGE.right) / 2, height - 8, "privacy loss ε (smaller is safer)", { "text-anchor": "middle" })]);
}

/** Corners of the best attack: of so many wrongly accused, how many are found. */
function corners(epsilon, delta) {
  const grown = Math.exp(Math.min(epsilon, 700));
  const corner = (1 - delta) / (1 + grown);
  return [[0, delta], [corner, 1 - corner], [1 - delta, 1], [1, 1]];
}

/** People found against people wrongly accused. */
export function drawAttack(svg, epsilon, delta, right) {
  const { width, height } = sized(svg);
  const side = { left: 66, right: 26, top: 12, bottom: 44 };
  const x = (share) => side.left + share * (width - side.left - side.right);
  const y = (share) => height - side.bottom - share * (height - side.top - side.bottom);
  const route = (points) => points.map(([a, b], place) => `${place ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("");
  const own = corners(epsilon, delta), [, corner] = own;
  const quarters = [0, 0.25, 0.5, 0.75, 1];
  drawn(svg, `Whoever guesses is right at most ${right} times in 100; a coin toss is right 50 times.`, [
    shape("path", { class: "impossible", d: `${route([[0, 0], ...own])}L${x(0)} ${y(1)}Z` }),
    ...quarters.flatMap((share) => [
      line("gridline", x(share), y(0), x(share), y(1)), line("gridline", x(0), y(share), x(1), y(share)),
      text(side.left - 6, y(share) + 4, `${100 * share} %`, { "text-anchor": "end" }),
      text(x(share), y(0) + 16, `${100 * share} %`, { "text-anchor": "middle" })]),
    line("edge", x(0), y(0), x(1), y(1)),
    text(x(0.55), y(0.42), "coin toss"),
    epsilon < WEAK ? shape("path", { class: "weak-curve", d: route(corners(WEAK, 0)) }) : null,
    epsilon < WEAK ? text(x(0.02) + 6, y(1) + 14, "ε = 5", { class: "zone" }) : null,
    shape("path", { class: "curve", d: route(own) }),
    shape("circle", { class: "dot", cx: x(corner[0]), cy: y(corner[1]), r: 6 }),
    text(x(corner[0]) + 12, y(corner[1]) + 18, `right ${right} times`, { class: "mark" }),
    text(x(corner[0]) + 12, y(corner[1]) + 34, "in 100, at most", { class: "mark" }),
    text((x(0) + x(1)) / 2, height - 8, "people wrongly accused", { "text-anchor": "middle" }),
    text(14, (y(0) + y(1)) / 2, "people found", { "text-anchor": "middle", transform: `rotate(-90 14 ${(y(0) + y(1)) / 2})` })]);
}

const KNOWN = [
  { name: "Wikimedia", what: "page views by country", epsilon: 1, daily: true, left: true, mark: "a", source: "Wikimedia, country_project_page README: ρ = 0.015, about ε = 1 at δ = 10⁻⁷." },
  { name: "Google", what: "symptom searches", epsilon: 1.68, daily: true, mark: "b", source: "Bavadekar and others, arXiv 2009.01265." },
  { name: "Israel", what: "births of 2014", epsilon: 9.98, daily: false, left: true, mark: "c", source: "Hod and Canetti, arXiv 2405.00267." },
  { name: "US Census 2020", what: "redistricting", epsilon: 19.61, daily: false, left: true, mark: "d", source: "US Census Bureau, press release of 9 June 2021: 17.14 for persons and 2.47 for housing." },
];

export const knownSources = () => KNOWN.map((each) => `[${each.mark}] ${each.name}, ${each.what}: ε = ${each.epsilon}${each.daily ? " every day" : ""}. ${each.source}`);

/** A strip of ε with the releases that are known, and the chosen one below. */
export function drawKnown(svg, epsilon) {
  const { width, height } = sized(svg);
  const low = 0.1, high = 25, strip = height - 66;
  const x = (value) => 12 + (Math.log(Math.min(Math.max(value, low), high) / low) / Math.log(high / low)) * (width - 24);
  const zones = [["strong", low, 1], ["moderate", 1, WEAK], ["weak", WEAK, VERY_WEAK], ["very weak", VERY_WEAK, high]];
  const wide = width > 560;
  const marks = KNOWN.flatMap((each, place) => {
    const up = strip - 14 - (wide && place % 2 ? 42 : 0), last = each.left;
    return [
      line("edge", x(each.epsilon), up, x(each.epsilon), strip - 6),
      shape("circle", { class: each.daily ? "ring" : "dot", cx: x(each.epsilon), cy: strip - 6, r: 6 }),
      text(x(each.epsilon) + (last ? 4 : -4), up - 18, wide ? `${each.name} ${each.epsilon} [${each.mark}]` : `[${each.mark}]`, { class: "mark", "text-anchor": last ? "end" : "start" }),
      wide ? text(x(each.epsilon) + (last ? 4 : -4), up - 4, each.what, { "text-anchor": last ? "end" : "start" }) : null];
  });
  drawn(svg, `Your ε = ${epsilon} beside ${KNOWN.map((each) => `${each.name} ${each.epsilon}`).join(", ")}.`, [
    ...zones.flatMap(([words, from, to]) => [
      shape("rect", { class: `zone-${words.replace(" ", "-")}`, x: x(from), y: strip, width: x(to) - x(from), height: 18 }),
      wide || words === "strong" || words === "moderate" ? text((x(from) + x(to)) / 2, strip + 13, words, { "text-anchor": "middle" }) : null]),
    ...marks,
    ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 20].map((value) => text(x(value), strip + 32, String(value), { "text-anchor": "middle" })),
    shape("path", { class: "spent", d: `M${x(epsilon)} ${strip + 36}l6 10h-12z` }),
    text(Math.min(Math.max(x(epsilon), 24), width - 24), strip + 57, `you: ${epsilon}`, { class: "mark", "text-anchor": "middle" })]);
}
