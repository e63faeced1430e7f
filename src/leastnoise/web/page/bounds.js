// The second view: how much of one person should count. On a guess of how people spread.
import { keep, spoken } from "./address.js";
import { Latest } from "./ask.js";
import { onPromise, promise, setPromise } from "./choose.js";
import { offer } from "./export.js";
import { byId, element, refusalBox, shape, table } from "./element.js";
import { write } from "./question_form.js";
import * as questions from "./questions.js";
import { atMost, roughly, short } from "./words.js";

const PARTS = ["1", "2", "3–4", "5–8", "9–16", "17–32", "33–64", "65–128"];
const GUESS = [1000, 2900, 9500, 9700, 870, 30, 0, 0];
const EDGE = { left: 64, right: 110, top: 28, bottom: 44 };
const LINE = 15; // between two labels

let guessed = null; // for a total of all rows, as the program answered
let shown = null; // the same, or of the question that is looked at
let own = { key: "", limits: [] }; // the noise of that question by limit
let size = 0; // what one answer is about
let mine = null; // the question that is shown, if any
const curve = new Latest("bounds", (answer) => { guessed = answer; show(); }, (parts) => {
  byId("bounds-problem").replaceChildren(refusalBox(parts));
  const place = /`(\d)`/.exec(parts.rule)?.[1];
  if (place) byId(`people-${place}`).setAttribute("aria-invalid", "true");
  byId("bounds-answer").classList.add("old");
});
const planLimits = new Latest("plan_limits", (answer, asked) => { own = { key: JSON.stringify(asked), limits: answer.limits }; show(); }, () => {});

const fields = () => PARTS.map((_, place) => byId(`people-${place}`));

function asked() {
  const people = fields().map((field) => field.value.replace(/[\s,'’]/g, "") || "0");
  return { ...promise(), people };
}

function moved() {
  fields().forEach((field) => field.removeAttribute("aria-invalid"));
  curve.put(asked());
  remember();
}

const remember = () => keep("bounds", { limit: byId("limit-rows").value, people: asked().people.join("-"), ...promise(), ...questions.linked() });

function recall() {
  const [view, parts] = spoken();
  if (view !== "bounds") return;
  const people = (parts.get("people") ?? "").split("-");
  if (people.length === PARTS.length) fields().forEach((field, place) => { field.value = people[place].slice(0, 12); });
  const limit = Number(parts.get("limit"));
  if (limit >= 1) { byId("limit-rows").max = Math.max(limit, Number(byId("limit-rows").max)); byId("limit-rows").value = limit; }
  if (parts.has("epsilon")) setPromise(parts.get("epsilon").slice(0, 40), (parts.get("delta") ?? "0").slice(0, 40));
  questions.lookLater(Number(parts.get("question") ?? -1));
}

/** What is looked at: a question that counts or adds rows, as only those lose what is cut. */
const question = () => { const row = questions.looked(); return row && ["count", "sum"].includes(row.asked.ask) && row.error95 !== null ? row : null; };

/** Of the question that is looked at: its own noise, and the same part of it cut as of all rows. */
function ofQuestion(row) {
  const wanted = { ...questions.about(promise()), limits: guessed.limits.map(({ limit }) => limit) };
  if (own.key !== JSON.stringify(wanted)) { planLimits.put(wanted); return null; }
  const noise = new Map(own.limits.map((each) => [each.limit, each.noise]));
  size = row.about || (row.asked.ask === "count" ? guessed.rows / (row.answers || 1) : 0);
  if (!size || !noise.size) return null;
  const limits = guessed.limits.filter(({ limit }) => noise.has(limit)).map((each) => {
    const cut = (1 - each.kept) * size;
    return { ...each, cut, noise: noise.get(each.limit), both: cut + noise.get(each.limit) };
  });
  const least = limits.reduce((best, each, place) => (each.both < limits[best].both ? place : best), 0);
  return { ...guessed, limits, least };
}

function chosen() {
  const typed = Math.round(Number(byId("limit-rows").value));
  const limits = shown.limits.map((row) => row.limit);
  return limits.reduce((best, limit, place) => (Math.abs(limit - typed) < Math.abs(limits[best] - typed) ? place : best), 0);
}

function show() {
  if (!guessed) return;
  const row = question(), found = row ? ofQuestion(row) : null;
  byId("bounds-problem").replaceChildren();
  const waits = Boolean(row) && !found && (row.about || row.asked.ask === "count");
  byId("bounds-answer").classList.toggle("old", Boolean(waits));
  if (waits) return;
  size = found ? size : guessed.rows;
  shown = found ?? guessed;
  mine = found ? row : null;
  Object.assign(byId("limit-rows"), { min: 1, max: guessed.most, step: 1 });
  byId("bounds-promise").textContent = mine ? `For your ${row.question} with ε = ${promise().epsilon}, beside the plan's other questions.`
    : row ? `Say in Choose or Release what ${row.question} is about, and this is told of it. Until then: a total of all rows with ε = ${promise().epsilon}.`
      : `For a total of all rows with ε = ${promise().epsilon}, from the first view.`;
  tell();
}

const share = (value, whole) => `${atMost((100 * value) / whole, 2)}\u00a0%`;

function tell() {
  if (!shown) return;
  const row = shown.limits[chosen()], least = shown.limits[shown.least];
  const unit = mine?.asked.ask === "sum" ? "" : " rows";
  byId("limit-shown").textContent = String(row.limit);
  byId("limit-rows").setAttribute("aria-valuetext", `${row.limit} rows`);
  byId("bounds-words").replaceChildren(
    "With at most ", element("strong", {}, `${row.limit} rows`), ` of one person${mine?.asked.by ? " in a group" : ""}, ${mine ? `your ${mine.question}` : "the total"} of about `,
    `${roughly(size, 3)}${unit} will be off by up to about `,
    element("strong", {}, `${atMost(row.both, 2)} (${share(row.both, size)})`), ": the limit cuts ",
    element("strong", { class: "cut" }, roughly(row.cut)), `${unit}, the noise adds `,
    element("strong", { class: "noise" }, `±${atMost(row.noise, 2)}`), ".");
  byId("bounds-best").textContent = least.limit === row.limit ? "No limit does better on this guess."
    : `With ${least.limit} it would be up to ${atMost(least.both, 2)} (${share(least.both, size)}).`;
  byId("bounds-table").replaceChildren(table(null, [
    ["Rows", (each) => (each === least ? element("strong", {}, `${each.limit} (least)`) : String(each.limit)), true],
    ["Kept", (each) => (each.kept === 1 ? "100\u00a0%" : each.kept > 0.999 ? ">\u00a099.9\u00a0%" : `${(100 * each.kept).toFixed(1)}\u00a0%`), true],
    ["Cut", (each) => roughly(each.cut), true],
    ["Noise", (each) => `±${atMost(each.noise, 2)}`, true],
    ["Both", (each) => atMost(each.both, 2), true],
  ], shown.limits));
  draw(byId("bounds-picture"), shown.limits, row, least, `error in ${mine ? mine.question : "rows"}, 95 %`);
}

/** A step of 1, 2 or 5 tens, so that at most five of them reach the top. */
function stepTo(top) {
  const ten = 10 ** Math.floor(Math.log10(top / 5));
  return [1, 2, 5, 10].map((part) => part * ten).find((step) => top / step <= 5);
}

/** Heights of labels, from the top down, with room for each. */
function apart(labels, lowest) {
  const order = [...labels].sort((one, other) => one.y - other.y);
  order.forEach((each, place) => { if (place) each.y = Math.max(each.y, order[place - 1].y + LINE); });
  order.toReversed().forEach((each, place) => { each.y = Math.min(each.y, lowest - place * LINE); });
  return order;
}

/** Cut falls, noise rises, both have a least point. */
function draw(svg, limits, row, least, what) {
  const width = svg.clientWidth || 640, height = svg.clientHeight || 300;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const last = limits[limits.length - 1], base = height - EDGE.bottom;
  const wanted = Math.min(Math.max(...limits.map((each) => each.both)), Math.max(5 * least.both, row.both * 1.15));
  const step = stepTo(wanted), steps = Math.ceil(wanted / step - 1e-9), top = step * steps;
  const x = (limit) => EDGE.left + ((limit - 1) / Math.max(last.limit - 1, 1)) * (width - EDGE.left - EDGE.right);
  const y = (value) => base - (value / top) * (base - EDGE.top);
  const route = (name) => limits.filter((each, place) => each[name] <= top || limits[place + 1]?.[name] <= top)
    .map((each, place) => `${place ? "L" : "M"}${x(each.limit).toFixed(1)} ${y(each[name]).toFixed(1)}`).join("");
  const marks = Array.from({ length: steps + 1 }, (_, place) => place * step).flatMap((value) => [
    shape("line", { class: "gridline", x1: EDGE.left, x2: width - EDGE.right, y1: y(value), y2: y(value) }),
    shape("text", { x: EDGE.left - 6, y: y(value) + 4, "text-anchor": "end" }, short(value))]);
  const ticks = limits.filter((each) => [1, 2, 4, 8, 16, 32, 64, 128].includes(each.limit) && (each.limit > last.limit / 12 || each.limit === 1))
    .map((each) => shape("text", { x: x(each.limit), y: base + 16, "text-anchor": "middle" }, String(each.limit)));
  const ends = apart([
    { y: y(last.both), said: `both: ${atMost(last.both, 2)}`, kind: "mark" },
    { y: y(last.noise), said: `noise: ±${atMost(last.noise, 2)}`, kind: "noise" },
    { y: y(last.cut), said: `cut: ${roughly(last.cut)}`, kind: "zone" }], base)
    .map((each) => shape("text", { x: width - EDGE.right + 8, y: each.y + 4, class: each.kind }, each.said));
  const dot = (each, kind) => shape("circle", { class: kind, cx: x(each.limit), cy: y(each.both), r: 6 });
  const said = (each, words, up) => {
    const late = x(each.limit) > width * 0.55;
    return shape("text", { class: "mark", x: x(each.limit) + (late ? -10 : 12), y: Math.max(y(each.both) - up, EDGE.top + 10), "text-anchor": late ? "end" : "start" }, `${words} ${each.limit}: up to ${atMost(each.both, 2)}`);
  };
  const title = svg.querySelector("title");
  title.textContent = `Cut and noise together are least at ${least.limit} rows: up to ${atMost(least.both, 2)}.`;
  const drawn = [...marks, ...ticks,
    shape("defs", {}, shape("clipPath", { id: "bounds-frame" }, shape("rect", { x: 0, y: EDGE.top, width, height: base - EDGE.top + 2 }))),
    shape("g", { "clip-path": "url(#bounds-frame)" },
      shape("path", { class: "weak-curve", d: route("cut") }),
      shape("path", { class: "curve", d: route("noise") }),
      shape("path", { class: "curve both", d: route("both") })),
    ...ends, dot(least, "dot"), dot(row, "ring"),
    said(least, least === row ? "least, at" : "least at", 12), least === row ? null : said(row, "you, at", -4),
    shape("text", { x: (EDGE.left + width - EDGE.right) / 2, y: height - 8, "text-anchor": "middle" }, "rows of one person that count"),
    shape("text", { x: 4, y: 12 }, what)];
  svg.replaceChildren(title, ...drawn.filter(Boolean));
}

export function start() {
  byId("people").replaceChildren(...PARTS.flatMap((part, place) => [
    element("label", { for: `people-${place}` }, `${part} ${part === "1" ? "row" : "rows"}`),
    element("input", { id: `people-${place}`, inputmode: "numeric", autocomplete: "off", value: GUESS[place], oninput: moved })]));
  byId("limit-rows").addEventListener("input", () => { tell(); remember(); });
  byId("bounds-form").addEventListener("submit", (event) => event.preventDefault());
  byId("bounds-use").addEventListener("click", take);
  offer("bounds-picture");
  new ResizeObserver(tell).observe(byId("bounds-answer"));
  questions.offerQuestions("bounds-for", "a total of all rows");
  questions.onQuestions(show);
  onPromise(moved);
  recall();
}

/** What is chosen here is asked there: of the question itself, if it has a limit of its own. */
function take() {
  const limit = String(shown ? shown.limits[chosen()].limit : ""), row = question();
  if (row && "max_rows" in row.asked) write(row.number, "max_rows", limit);
  else {
    byId("max-rows").value = limit;
    byId("max-rows").dispatchEvent(new Event("input", { bubbles: true }));
  }
  byId("bounds-used").textContent = `Release will use ${limit}.`;
}

/** The view is being looked at: it begins with the limit that Release has. */
export function open() {
  const typed = Number(questions.looked()?.asked.max_rows ?? byId("max-rows").value);
  if (typed >= 1) {
    byId("limit-rows").max = Math.max(Number(byId("limit-rows").max), typed);
    byId("limit-rows").value = typed;
  }
  moved();
}
