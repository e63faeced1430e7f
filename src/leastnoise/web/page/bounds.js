// The second view: how much of one person should count. On a guess of how people spread.
import { Latest } from "./ask.js";
import { onPromise, promise } from "./choose.js";
import { offer } from "./export.js";
import { byId, element, refusalBox, shape, table } from "./element.js";
import { atMost, short } from "./words.js";

const PARTS = ["1", "2", "3–4", "5–8", "9–16", "17–32", "33–64", "65–128"];
const GUESS = [1000, 2900, 9500, 9700, 870, 30, 0, 0];
const EDGE = { left: 64, right: 110, top: 14, bottom: 44 };

let shown = null;
const curve = new Latest("bounds", show, (parts) => {
  byId("bounds-problem").replaceChildren(refusalBox(parts));
  const place = /`(\d)`/.exec(parts.rule)?.[1];
  if (place) byId(`people-${place}`).setAttribute("aria-invalid", "true");
  byId("bounds-answer").classList.add("old");
});

const fields = () => PARTS.map((_, place) => byId(`people-${place}`));

function asked() {
  const people = fields().map((field) => field.value.replace(/[\s,'’]/g, "") || "0");
  return { ...promise(), people };
}

function moved() {
  fields().forEach((field) => field.removeAttribute("aria-invalid"));
  byId("bounds-promise").textContent = `ε = ${promise().epsilon}`;
  curve.put(asked());
}

function chosen() {
  const typed = Math.round(Number(byId("limit-rows").value));
  const limits = shown.limits.map((row) => row.limit);
  return limits.reduce((best, limit, place) => (Math.abs(limit - typed) < Math.abs(limits[best] - typed) ? place : best), 0);
}

function show(answer) {
  shown = answer;
  byId("bounds-problem").replaceChildren();
  byId("bounds-answer").classList.remove("old");
  const slider = byId("limit-rows");
  Object.assign(slider, { min: 1, max: answer.most, step: 1 });
  tell();
}

const share = (value, whole) => `${atMost((100 * value) / whole, 2)}\u00a0%`;

function tell() {
  if (!shown) return;
  const row = shown.limits[chosen()], least = shown.limits[shown.least];
  byId("limit-shown").textContent = String(row.limit);
  byId("limit-rows").setAttribute("aria-valuetext", `${row.limit} rows`);
  byId("bounds-words").replaceChildren(
    "With at most ", element("strong", {}, `${row.limit} rows`), " of one person, the total of about ",
    `${Math.round(shown.rows).toLocaleString("en")} rows will be off by up to about `,
    element("strong", {}, `${atMost(row.both, 2)} (${share(row.both, shown.rows)})`), ": the limit cuts ",
    element("strong", { class: "cut" }, short(row.cut, 2)), " rows, the noise adds ",
    element("strong", { class: "noise" }, `±${atMost(row.noise, 2)}`), ".");
  byId("bounds-best").textContent = least.limit === row.limit ? "No limit does better on this guess."
    : `With ${least.limit} it would be up to ${atMost(least.both, 2)} (${share(least.both, shown.rows)}).`;
  byId("bounds-table").replaceChildren(table(null, [
    ["Rows that count", (each) => (each === least ? element("strong", {}, String(each.limit)) : String(each.limit)), true],
    ["Kept", (each) => (each.kept === 1 ? "100\u00a0%" : each.kept > 0.999 ? ">\u00a099.9\u00a0%" : `${(100 * each.kept).toFixed(1)}\u00a0%`), true],
    ["Cut", (each) => short(each.cut, 2), true],
    ["Noise", (each) => `±${atMost(each.noise, 2)}`, true],
    ["Both", (each) => atMost(each.both, 2), true],
  ], shown.limits));
  draw(byId("bounds-picture"), shown.limits, row, least);
}

/** Cut falls, noise rises, both have a least point. */
function draw(svg, limits, row, least) {
  const width = svg.clientWidth || 640, height = svg.clientHeight || 300;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const last = limits[limits.length - 1], base = height - EDGE.bottom;
  const top = Math.min(Math.max(...limits.map((each) => each.both)), 5 * least.both, Math.max(5 * least.both, row.both * 1.1));
  const x = (limit) => EDGE.left + ((limit - 1) / Math.max(last.limit - 1, 1)) * (width - EDGE.left - EDGE.right);
  const y = (value) => base - (Math.min(value, top) / top) * (base - EDGE.top);
  const route = (name) => limits.filter((each, place) => each[name] <= top || limits[place + 1]?.[name] <= top)
    .map((each, place) => `${place ? "L" : "M"}${x(each.limit).toFixed(1)} ${y(each[name]).toFixed(1)}`).join("");
  const words = (at, dy, said, kind) => shape("text", { x: width - EDGE.right + 8, y: at + dy, class: kind }, said);
  const marks = [0, 0.25, 0.5, 0.75, 1].flatMap((part) => [
    shape("line", { class: "gridline", x1: EDGE.left, x2: width - EDGE.right, y1: y(part * top), y2: y(part * top) }),
    shape("text", { x: EDGE.left - 6, y: y(part * top) + 4, "text-anchor": "end" }, short(part * top, 2))]);
  const ticks = limits.filter((each) => [1, 2, 4, 8, 16, 32, 64, 128].includes(each.limit) && (each.limit > last.limit / 12 || each.limit === 1))
    .map((each) => shape("text", { x: x(each.limit), y: base + 16, "text-anchor": "middle" }, String(each.limit)));
  const dot = (each, kind) => shape("circle", { class: kind, cx: x(each.limit), cy: y(each.both), r: 6 });
  const title = svg.querySelector("title");
  title.textContent = `Cut and noise together are least at ${least.limit} rows: up to ${atMost(least.both, 2)}.`;
  svg.replaceChildren(title, ...marks, ...ticks,
    shape("path", { class: "weak-curve", d: route("cut") }),
    shape("path", { class: "curve", d: route("noise") }),
    shape("path", { class: "curve both", d: route("both") }),
    words(y(last.both), -6, `both: ${atMost(last.both, 2)}`, "mark"),
    words(y(last.noise), 12, `noise: ±${atMost(last.noise, 2)}`, "noise"),
    words(y(last.cut), -6, `cut: ${short(last.cut, 2)}`, "zone"),
    dot(least, "dot"), dot(row, "ring"),
    shape("text", { x: (EDGE.left + width - EDGE.right) / 2, y: height - 8, "text-anchor": "middle" }, "rows of one person that count"));
}

export function start() {
  byId("people").replaceChildren(...PARTS.flatMap((part, place) => [
    element("label", { for: `people-${place}` }, `${part} ${part === "1" ? "row" : "rows"}`),
    element("input", { id: `people-${place}`, inputmode: "numeric", autocomplete: "off", value: GUESS[place], oninput: moved })]));
  byId("limit-rows").addEventListener("input", tell);
  byId("bounds-form").addEventListener("submit", (event) => event.preventDefault());
  byId("bounds-use").addEventListener("click", () => {
    byId("max-rows").value = String(shown ? shown.limits[chosen()].limit : "");
    byId("max-rows").dispatchEvent(new Event("input", { bubbles: true }));
    byId("bounds-used").textContent = `Release will use ${byId("max-rows").value}.`;
  });
  offer("bounds-picture");
  new ResizeObserver(tell).observe(byId("bounds-answer"));
  onPromise(moved);
}

export const open = moved;
