// Running totals of a schedule: lines in their bands, from what the ledger holds.
import { Refused, ask } from "./ask.js";
import { byId, element, refusalBox, shape } from "./element.js";
import { short } from "./words.js";

const WIDTH = 640, HIGH = 240, LEFT = 56, FOOT = 24;

async function show() {
  const target = byId("steps-answer");
  try {
    const told = await ask("steps", { plan: byId("steps-path").value });
    target.replaceChildren(...told.questions.map((each) => element("figure", { class: "card" },
      element("h2", {}, each.name), each.lines.length ? drawn(each) : null, element("figcaption", {}, each.words))));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    target.replaceChildren(refusalBox(error.parts));
  }
}

/** Each line holds its value until the next step; its band is the 95 % interval for the noise. */
function drawn(told) {
  const all = told.lines.flatMap((line) => line.marks.flat());
  const low = Math.min(0, ...all), high = Math.max(...all, low + 1);
  const across = (place) => LEFT + (place / told.steps.length) * (WIDTH - LEFT);
  const up = (value) => (HIGH - FOOT) * (1 - (value - low) / (high - low)) + 4;
  const steps = (marks, part) => marks.map((mark, place) => `${across(place).toFixed(1)},${up(mark[part]).toFixed(1)} ${across(place + 1).toFixed(1)},${up(mark[part]).toFixed(1)}`);
  const parts = told.lines.flatMap((line) => [
    shape("polygon", { class: "band", points: [...steps(line.marks, 1), ...steps(line.marks, 2).map((pair) => pair.split(" ").toReversed().join(" ")).toReversed()].join(" ") }),
    shape("polyline", { class: "curve", points: steps(line.marks, 0).join(" ") }),
    told.lines.length > 1 ? shape("text", { x: WIDTH - 4, y: up(line.marks.at(-1)[0]) - 6, "text-anchor": "end" }, line.name) : null,
  ]);
  return shape("svg", { viewBox: `0 0 ${WIDTH} ${HIGH}`, role: "img", "aria-label": told.words }, ...parts,
    ...[low, high].map((value) => shape("text", { x: LEFT - 6, y: up(value) + 4, "text-anchor": "end" }, short(value))),
    shape("text", { x: LEFT, y: HIGH - 4 }, told.steps[0]),
    shape("text", { x: WIDTH, y: HIGH - 4, "text-anchor": "end" }, told.steps.at(-1)));
}

export function start() {
  byId("steps-form").addEventListener("submit", (event) => { event.preventDefault(); show(); });
}
