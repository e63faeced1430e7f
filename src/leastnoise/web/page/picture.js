// Pictures, drawn as SVG. Each has a title that says in words what it shows.
import { shape } from "./element.js";
import { short } from "./words.js";

const EDGE = { left: 8, right: 8, top: 10, bottom: 26 };

/** The noise's probabilities, with the band that holds 95 % of it. */
export function drawNoise(svg, noise) {
  const width = svg.clientWidth || 600, height = svg.clientHeight || 240;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const { x, p, every, step } = noise.shape;
  const reach = x[x.length - 1] + (every ? step / 2 : 0);
  const top = Math.max(...p);
  const across = (value) => EDGE.left + ((value + reach) / (2 * reach)) * (width - EDGE.left - EDGE.right);
  const up = (value) => height - EDGE.bottom - (value / top) * (height - EDGE.top - EDGE.bottom);
  const parts = [band(noise.error95, reach, across, height)];
  if (every) parts.push(...bars(x, p, step, across, up));
  else parts.push(area(x, p, across, up));
  parts.push(...axis(reach, across, width, height));
  const title = svg.querySelector("title");
  title.textContent = `The noise has its peak at 0 and falls to both sides; 95 % of it lies between minus ${short(noise.error95)} and plus ${short(noise.error95)}.`;
  svg.replaceChildren(title, ...parts);
}

function band(limit, reach, across, height) {
  const left = across(-Math.min(limit, reach)), right = across(Math.min(limit, reach));
  return shape("g", {},
    shape("rect", { class: "band", x: left, y: EDGE.top, width: Math.max(right - left, 1), height: height - EDGE.top - EDGE.bottom }),
    shape("line", { class: "edge", x1: left, x2: left, y1: EDGE.top, y2: height - EDGE.bottom }),
    shape("line", { class: "edge", x1: right, x2: right, y1: EDGE.top, y2: height - EDGE.bottom }));
}

function bars(x, p, step, across, up) {
  const room = across(step) - across(0);
  const gap = room > 5 ? 1.5 : room > 2.5 ? 0.7 : 0;
  return x.map((value, place) => shape("rect", {
    class: "bar", x: across(value - step / 2) + gap / 2, y: up(p[place]),
    width: Math.max(room - gap, 0.6), height: Math.max(up(0) - up(p[place]), 0),
  }));
}

function area(x, p, across, up) {
  const half = (x[1] - x[0]) / 2;
  const line = x.map((value, place) => `H${across(value - half).toFixed(1)}V${up(p[place]).toFixed(1)}`).join("");
  const start = `M${across(x[0] - half).toFixed(1)} ${up(0).toFixed(1)}`;
  const end = `H${across(x[x.length - 1]).toFixed(1)}V${up(0).toFixed(1)}Z`;
  return shape("path", { class: "area", d: start + line + end });
}

function axis(reach, across, width, height) {
  const base = height - EDGE.bottom;
  const unit = niceStep(reach / 3);
  const marks = [];
  for (let value = 0; value <= reach * 0.97; value += unit) marks.push(value, -value);
  return [
    shape("line", { class: "axis", x1: 0, x2: width, y1: base, y2: base }),
    ...[...new Set(marks.map((value) => value + 0))].map((value) =>
      shape("text", { x: across(value), y: height - 8, "text-anchor": "middle" }, value > 0 ? `+${short(value)}` : short(value).replace("-", "−"))),
  ];
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= rough) ?? power;
}

/** A bar of what was spent and what is left. */
export function spentBar(spent, total) {
  const share = total > 0 ? Math.min(spent / total, 1) : 0;
  return shape("svg", { viewBox: "0 0 100 6", width: "100%", height: "18", preserveAspectRatio: "none", role: "img", "aria-label": `${short(100 * share)} % of the budget is spent` },
    shape("rect", { class: "left", x: 0, y: 0, width: 100, height: 6 }),
    shape("rect", { class: "spent", x: 0, y: 0, width: 100 * share, height: 6 }));
}

/** One answer with its interval, on a scale shared by its table. */
export function whisker(answer, low, high) {
  const across = (value) => 4 + (112 * (value - low)) / (high - low || 1);
  return shape("svg", { viewBox: "0 0 120 16", width: "120", height: "16", "aria-hidden": "true" },
    shape("line", { class: "whisker", x1: across(answer.lower), x2: across(answer.upper), y1: 8, y2: 8 }),
    shape("circle", { class: "dot", cx: across(answer.value), cy: 8, r: 3.5 }));
}

/** A bar whose length is a share of the longest. */
export function lengthBar(share) {
  return shape("svg", { viewBox: "0 0 48 10", width: "48", height: "10", "aria-hidden": "true" },
    shape("rect", { class: "spent", x: 0, y: 1, width: Math.max(48 * Math.min(share, 1), 1), height: 8 }));
}

/** What was spent before, what is spent now, and what is left afterwards. */
export function partsBar(spent, now) {
  const words = `${short(100 * spent, 2)} % spent before, ${short(100 * now, 2)} % now, the rest is left`;
  return shape("svg", { class: "parts", viewBox: "0 0 100 10", width: "100%", height: "22", preserveAspectRatio: "none", role: "img", "aria-label": words },
    shape("rect", { class: "left", x: 0, y: 0, width: 100, height: 10 }),
    shape("rect", { class: "before", x: 0, y: 0, width: 100 * spent, height: 10 }),
    shape("rect", { class: "spent", x: 100 * spent, y: 0, width: 100 * now, height: 10 }));
}
