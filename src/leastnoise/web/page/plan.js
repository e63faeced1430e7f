// The second view: sample sizes, δ, and which mechanism for which data.
import { Latest, Refused, ask } from "./ask.js";
import { onPromise, promise, setDelta } from "./choose.js";
import { byId, element, refusalBox, table } from "./element.js";
import { powers } from "./words.js";

let stale = true;

const sizes = new Latest("sample_size", showSizes, (parts) => byId("size-answer").replaceChildren(refusalBox(parts)));
const shapes = new Latest("shapes", showShapes, (parts) => byId("shapes").replaceChildren(refusalBox(parts)));

const count = (value) => value.toLocaleString("en");

function showSizes(answer) {
  const bound = element("p", {}, `With fewer than ${count(answer.impossible_below)} people no mechanism whatever reaches this`,
    answer.reason ? ` (proof: ${answer.reason}).` : ".");
  byId("size-answer").replaceChildren(
    element("p", { class: "big" }, element("strong", {}, `${count(answer.records)} people`), " suffice."),
    bound,
    ...answer.narrower.map((each) =>
      element("p", {}, `With fewer than ${count(each.records)} people none of this kind does: ${each.scope}.`)),
    table(null, [
      ["Mechanism", (row) => row.mechanism],
      ["People", (row) => count(row.records), true],
      ["For certainty", (row) => (row.certain === null ? "–" : count(row.certain)), true],
    ], answer.options));
}

function showShapes(answer) {
  byId("shapes").replaceChildren(table(`Priced at ${answer.promise}`, [
    ["Your data", (row) => row.shape],
    ["Mechanism", (row) => row.mechanism],
    ["Error", (row) => row.error],
    ["Call", (row) => element("code", {}, row.call)],
  ], answer.rows));
}

async function advise() {
  const target = byId("delta-answer");
  try {
    const advice = await ask("delta", { records: byId("delta-records").value, delta: promise().delta });
    const use = element("button", { type: "button", onclick: () => { setDelta(advice.delta.toLowerCase()); advise(); } }, `Use δ = ${advice.words.delta}`);
    const now = advice.used === "0" ? element("p", {}, "You use δ = 0: no slack at all. The advice matters only if you allow some.")
      : element("p", {}, `You use δ = ${advice.words.used}: the worst mechanism allowed exposes somebody with probability ${advice.words.exposure}.`);
    const warning = advice.warning ? element("p", { class: "refused" }, advice.warning) : null;
    target.replaceChildren(...[
      element("p", { class: "big" }, element("strong", {}, `δ = ${advice.words.delta}`), `: ${advice.reason}.`),
      now, warning, use].filter(Boolean));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    target.replaceChildren(refusalBox(error.parts));
  }
}

function work() {
  byId("size-answer").replaceChildren(element("p", { class: "waiting" }, "Working it out …"));
  sizes.put({
    ...promise(), columns: byId("size-columns").value, error: byId("size-error").value,
    objective: byId("size-objective").value, confidence: byId("size-confidence").value,
  });
}

function refresh() {
  const { epsilon, delta } = promise();
  byId("plan-promise").textContent = `ε = ${epsilon}, δ = ${powers(delta)}`;
  stale = true;
  if (!byId("plan").hidden) open();
}

/** The view is being looked at. */
export function open() {
  if (!stale) return;
  stale = false;
  byId("shapes").replaceChildren(element("p", { class: "waiting" }, "Pricing …"));
  shapes.put(promise());
  work();
  advise();
}

export function start() {
  byId("sizes").addEventListener("submit", (event) => { event.preventDefault(); work(); });
  byId("deltas").addEventListener("submit", (event) => { event.preventDefault(); advise(); });
  byId("size-objective").addEventListener("change", () => { byId("size-confidence").disabled = byId("size-objective").value !== "max"; });
  onPromise(refresh);
  refresh();
}
