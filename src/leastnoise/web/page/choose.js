// The first view: what a promise costs in error, and what it keeps secret.
import { keep, spoken } from "./address.js";
import { Latest, afterPause } from "./ask.js";
import { copy } from "./copy.js";
import { drawAttack, drawCurve, drawKnown, knownSources } from "./curves.js";
import { Dial, ratios } from "./dial.js";
import { byId, element, facts, refusalBox, table } from "./element.js";
import { offer } from "./export.js";
import { plain } from "./fields.js";
import { drawNoise, lengthBar } from "./picture.js";
import { write } from "./question_form.js";
import * as questions from "./questions.js";
import { rightWords, sayError, sayForecast, showGrade, showWeakness } from "./verdict.js";
import { atMost, short, times } from "./words.js";

const DELTAS = ["0", ...Array.from({ length: 14 }, (_, place) => `1e-${15 - place}`)];
const SIZES = ["1", "2", "3", "4", "5", "6", "8", "10", "15", "20", "30", "50", "75", "100", "150", "200", "300", "500", "1000"];
const REST = 250;

const dials = {};
let shown = null;
let listeners = [];
let followers = [];
let points = [];
let pointsKey = ""; // what they are for
let planCurve = { key: "", points: [] }; // of the question that is looked at

/** What the dials say now. */
export function promise() {
  return { epsilon: dials.epsilon.value, delta: dials.delta.value || "0" };
}

export function setDelta(text) {
  dials.delta.value = text;
  moved();
}

/** Another view says what to spend; the dials follow. */
export function setPromise(epsilon, delta) {
  if (epsilon) dials.epsilon.value = epsilon;
  dials.delta.value = delta || "0";
  moved();
}

/** Be told of every move of the dials, at once; for what takes no time. */
export function onDials(listener) {
  followers.push(listener);
}

/** Be told when the promise has changed, and the hand rests. */
export function onPromise(listener) {
  listeners.push(listener);
}

/** A count as people type it: 1000, 1,000 or 1 000; 0 if it is none. */
function about() {
  const typed = byId("about").value.replace(/[\s,'’]/g, "");
  return /^\d+$/.test(typed) ? Number(typed) : 0;
}

function said() {
  const kind = byId("cost").value;
  const cost = kind === "tail" ? `tail:${byId("limit").value.trim()}` : kind;
  return { ...promise(), sensitivity: dials.sensitivity.value, queries: dials.queries.value, cost };
}

/** Only what answers the dials as they stand is shown: a slow answer may be to an older question. */
const ifCurrent = (show) => (answer, asked) => {
  if (JSON.stringify(asked) === JSON.stringify(said())) show(answer, asked);
};

const sketches = new Latest("sketch", showSketch, showProblem);
/** The curve is of all but ε; it takes the work of many moves, so that it is asked for when the hand rests a little. */
const curveKey = (asked) => JSON.stringify({ ...asked, epsilon: "" });
const curves = new Latest("curve", (answer, asked) => { [points, pointsKey] = [answer.points, curveKey(asked)]; drawAll(); }, () => { points = []; });
const bend = afterPause(REST / 2, () => curves.put(said()));
const choices = new Latest("choose", ifCurrent(showChoice), ifCurrent(showRest));
const proofs = new Latest("certify", ifCurrent(showProof), ifCurrent(showNoProof));
const speak = afterPause(700, (text) => { byId("spoken").textContent = text; });
const think = afterPause(REST, () => choices.put(said()));
const tell = afterPause(REST, () => listeners.forEach((listener) => listener()));
const planCurves = new Latest("plan_curve", (answer, asked) => { planCurve = { key: JSON.stringify(asked), points: answer.points }; again(); }, () => {});
const forecast = afterPause(REST / 2, () => questions.forecast(promise()));
const again = () => { if (shown) showNoise(shown.answer, shown.asked); };

/** The curve of a question depends on all but ε. */
const curveAsk = () => questions.about({ ...promise(), epsilon: "1" });

/** The question that is looked at, and what it will be off by: as worked out, or from its curve while ε moves. */
function lookedAt() {
  const row = questions.looked();
  if (!row || row.error95 === null) return null;
  if (questions.isFor(promise())) return { row, error95: row.error95, exact: true };
  const error95 = curveOf() && between(curveOf(), Number(plain(promise().epsilon)));
  return error95 ? { row, error95, exact: false } : { row, error95: row.error95, exact: true };
}

const curveOf = () => (questions.looked() && planCurve.key === JSON.stringify(curveAsk()) ? planCurve.points : null);

/** Straight between points that both grow by ratios. */
function between(curve, epsilon) {
  const place = Math.max(1, curve.findIndex((point) => point.epsilon >= epsilon));
  if (curve.length < 2 || !(epsilon > 0)) return null;
  const [low, high] = [curve[place - 1], curve[place]];
  const part = Math.log(epsilon / low.epsilon) / Math.log(high.epsilon / low.epsilon);
  return Math.exp(Math.log(low.error95) + part * (Math.log(high.error95) - Math.log(low.error95)));
}

function moved() {
  byId("limit-box").hidden = byId("cost").value !== "tail";
  showState("looking for less …");
  sketches.put(said());
  if (pointsKey !== curveKey(said())) bend();
  think();
  followers.forEach((follower) => follower());
  tell();
  forecast();
  remember();
}

const COUNTS = ["count", "units", "distinct"];

/** Another question is looked at, or something of it has changed: the fields say what Release says. */
function follow() {
  const row = questions.looked(), plan = Boolean(row);
  byId("own-question").hidden = plan;
  byId("plan-question").hidden = !plan;
  if (plan) showState("");
  byId("details").hidden = plan; // it is about the count of one's own
  byId("about-label").textContent = !plan || COUNTS.includes(row.asked.ask) ? "Your count is about" : "Rows one answer is about";
  if (plan) {
    for (const [own, other] of [["choose-rows", "max-rows"], ["choose-groups", "max-groups"]]) if (byId(own) !== document.activeElement) byId(own).value = byId(other).value;
    if (byId("about") !== document.activeElement) byId("about").value = row.asked.expected ?? "";
    if (!curveOf()) planCurves.put(curveAsk());
  }
  for (const kind of ["python", "toml", "sql"]) byId(`copy-${kind}`).hidden = plan; // Release has the whole plan
  byId("plan-questions").hidden = questions.known().length === 0;
  if (questions.known().length) byId("plan-forecast").replaceChildren(questions.forecastTable(null, questions.known()));
  again();
  remember();
}

/** What is typed here of a question is typed in Release. */
function writeBack() {
  const row = questions.looked();
  if (row) write(row.number, "expected", byId("about").value.replace(/[\s,'’]/g, ""));
  again();
  remember();
}


/** The address says what the dials say, so that a link leads back here. */
function remember() {
  keep("choose", { ...said(), about: byId("about").value, ...questions.linked() });
}

function recall() {
  const [view, parts] = spoken();
  if (view !== "choose") return;
  for (const [name, dial] of Object.entries(dials)) if (parts.has(name)) dial.value = parts.get(name).slice(0, 40);
  if (parts.has("about")) byId("about").value = parts.get("about").slice(0, 20);
  questions.lookLater(Number(parts.get("question") ?? -1));
  const [kind, limit] = (parts.get("cost") ?? "").split(":");
  if (["absolute", "squared", "tail"].includes(kind)) byId("cost").value = kind;
  if (limit) byId("limit").value = limit.slice(0, 40);
}

/** How good the answer is known to be; of questions of a plan their own table tells. */
function showState(words) {
  byId("state").hidden = !words || questions.looked() !== null;
  byId("state").textContent = words;
}

function showSketch(answer, asked) {
  byId("choose-problem").replaceChildren();
  for (const name of Object.keys(dials)) byId(`${name}-exact`).removeAttribute("aria-invalid");
  showNoise(answer, asked);
  showState(answer.final ? "the least known" : "first answer");
}

function showNoise(answer, asked) {
  shown = { answer, asked };
  byId("choose-answer").classList.remove("old");
  const { noise } = answer;
  const own = lookedAt(), size = own ? own.row.about : about(), error95 = own ? own.error95 : noise.error95;
  if (own) sayForecast(byId("error-words"), own.row, error95, own.exact);
  else sayError(byId("error-words"), error95, about(), Number(asked.queries) > 1 ? "each answer" : "the answer");
  showGrade(byId("grade"), size ? error95 / size : null);
  byId("right-words").textContent = rightWords(answer.risk.right);
  showWeakness(byId("weak"), Number(plain(asked.epsilon)));
  speak(`${byId("error-words").textContent} ${byId("right-words").textContent}`);
  byId("glance").textContent = `95\u00a0% within ±${atMost(error95)} · right at most ${answer.risk.right} in 100`;
  byId("shape-words").textContent = `Noise: ${noise.name}. The band holds 95 % of it.`;
  const pairs = [["Mean error", short(noise.mean_error.upper)], ["Why", noise.why], ["Promise", answer.promise]];
  if (asked.cost !== "absolute") pairs.unshift([noise.cost.name, short(noise.cost.upper, 4)]);
  if (answer.all95) pairs.unshift(["All answers at once", `within ±${atMost(answer.all95)} in 95 %`]);
  facts(byId("noise-facts"), pairs);
  showRisk(answer.risk);
  drawAll();
}

function drawAll() {
  if (!shown) return;
  const { answer, asked } = shown;
  const epsilon = Number(asked.epsilon.replace(",", ".")), delta = Number(asked.delta.replace(",", ".")) || 0;
  const own = lookedAt(), size = own ? own.row.about : about(), line = own ? curveOf() ?? [] : points;
  if (line.length) drawCurve(byId("curve"), line, { epsilon, error95: own ? own.error95 : answer.noise.error95 }, size);
  byId("curve").classList.toggle("old", line.length === 0 || (!own && pointsKey !== curveKey(said())));
  const of = own ? `Of your ${own.row.question}${own.row.unit ? `, ${own.row.unit.trim()}` : ""}. ` : "";
  byId("curve-hint").textContent = `${of}95 % of errors are smaller.${size ? ` Right: as a share of ${size.toLocaleString("en")}.` : ""}`;
  drawAttack(byId("attack"), epsilon, delta, answer.risk.right);
  drawKnown(byId("known"), epsilon);
  if (byId("details").open) drawNoise(byId("shape"), answer.noise);
}

/** What the dials say as a program, to take along. */
function asPython() {
  const { epsilon, delta, sensitivity, queries } = said();
  const typed = (value) => `"${value.replace(",", ".").replace(/[^0-9.eE+/-]/g, "")}"`;
  const parts = [`sensitivity=${typed(sensitivity)}`, `epsilon=${typed(epsilon)}`];
  if (Number(delta.replace(",", ".")) > 0) parts.push(`delta=${typed(delta)}`);
  if (Number(queries) > 1) parts.push(`count=${Number(queries)}`);
  return `import leastnoise as ln\n\nmechanism = ln.optimal(${parts.join(", ")})\nprint(mechanism.error("0.95"))\n`;
}

const spend = () => {
  const { epsilon, delta } = promise(), typed = (text) => plain(text).replace(/[^0-9.eE+/-]/g, "");
  return { epsilon: typed(epsilon), ...(Number(plain(delta)) > 0 ? { delta: typed(delta) } : {}) };
};

const asToml = () => `[budget]\nspend = {${Object.entries(spend()).map(([name, value]) => `${name} = "${value}"`).join(", ")}}\n\n[[question]]\nask = "count"\n`;

const asSql = () => `SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(${Object.entries(spend()).map(([name, value]) => `${name} = ${value}`).join(", ")})\n  COUNT(*)\nFROM your_table\n`;

function showRisk(risk) {
  const words = risk.words.map((text) => element("p", {}, text.replaceAll(" %", "\u00a0%")));
  const own = risk.own ? element("p", { class: "hint" }, `This very mechanism lets such an attacker catch at most ${risk.own}.`) : null;
  const caught = table("The best attack there can be", [
    ["False alarms", (row) => row.alarm, true],
    ["Caught at most", (row) => row.caught, true],
  ], risk.caught);
  const sure = risk.sure.length ? table("How a suspicion can grow", [
    ["Before", (row) => row.before, true],
    ["After, at most", (row) => row.after, true],
  ], risk.sure) : null;
  byId("risk").replaceChildren(...[...words, own, sure, caught].filter(Boolean));
}

function showChoice(answer, asked) {
  showNoise(answer, asked);
  showState("the least known");
  showRivals(answer);
  if (Number(asked.queries) > 1) showNoProof({ rule: "a certificate covers one query; these are several", finding: "", remedy: "The runners-up are priced exactly, but nothing proves that no other noise is better." });
  else {
    byId("certificate").replaceChildren(element("p", { class: "waiting" }, "Proving …"));
    proofs.put(said());
  }
}

function showRivals(answer) {
  const best = { name: answer.noise.name, cost: answer.noise.cost.upper, ratio: 1, error95: answer.noise.error95 };
  const rows = [best, ...answer.rivals];
  const longest = Math.min(Math.max(...rows.map((row) => row.ratio)), 4);
  const list = table(null, [
    ["Noise", (row) => (row === best ? element("strong", {}, row.name) : row.name)],
    [answer.noise.cost.name, (row) => short(row.cost, 4), true],
    ["Times the least", (row) => times(row.ratio), true],
    ["95 % within", (row) => `±${atMost(row.error95)}`, true],
    ["", (row) => lengthBar(row.ratio / longest)],
  ], rows);
  const left = answer.left_out.map((text) => element("p", { class: "hint" }, `Left out: ${text}.`));
  byId("rivals").replaceChildren(list, ...left);
}

function showProof(proof) {
  const least = proof.accepted && proof.excess < 1e-6;
  const near = proof.excess === 0 ? "exactly the least possible"
    : least ? `the least possible, to within ${short(proof.excess, 2)} of itself`
      : `at most ${times(proof.ratio)} the least possible`;
  showState(least ? "proved the least" : "the least known");
  const verdict = element("p", { class: "good" }, element("strong", {}, proof.accepted ? "Proved and checked anew: " : "Not accepted: "),
    `${proof.cost} = ${short(proof.achieved, 6)}, ${near}.`);
  const list = element("dl", { class: "facts stacked" });
  facts(list, [
    ["Ratio to the bound", proof.ratio.toPrecision(12).replace(/\.?0+$/, "")],
    ["No less than", short(proof.bound, 6)],
    ["Among", proof.scope],
    ["By", proof.reference],
  ]);
  const link = proof.file ? element("p", {}, element("a", { href: `download/certificate/${proof.file}.json`, download: "certificate.json" }, "Download the certificate"),
    " and check it anywhere: ", element("code", {}, "leastnoise check certificate.json")) : null;
  byId("certificate").replaceChildren(...[verdict, list, link].filter(Boolean));
}

function showNoProof(parts) {
  byId("certificate").replaceChildren(element("p", {}, `No certificate: ${parts.rule}. ${parts.remedy}`));
}

function showProblem(parts) {
  byId("choose-problem").replaceChildren(refusalBox(parts));
  byId("choose-answer").classList.add("old");
  for (const name of Object.keys(dials)) byId(`${name}-exact`).setAttribute("aria-invalid", String(parts.rule.includes(`\`${name}\``)));
  showState("");
}

function showRest(parts) {
  byId("rivals").replaceChildren(refusalBox(parts));
  byId("certificate").replaceChildren();
}

export function start() {
  dials.epsilon = new Dial("epsilon", ratios(0.01, 20, 166), "1", moved);
  dials.delta = new Dial("delta", DELTAS, "0", moved);
  dials.sensitivity = new Dial("sensitivity", SIZES, "1", moved);
  dials.queries = new Dial("queries", SIZES, "1", moved);
  byId("cost").addEventListener("change", moved);
  byId("limit").addEventListener("input", moved);
  byId("dials").addEventListener("submit", (event) => event.preventDefault());
  byId("about").addEventListener("input", writeBack);
  for (const [own, other] of [["choose-rows", "max-rows"], ["choose-groups", "max-groups"]])
    byId(own).addEventListener("input", () => { byId(other).value = byId(own).value; byId(other).dispatchEvent(new Event("input", { bubbles: true })); });
  questions.offerQuestions("ask-for", "one count of your own");
  questions.onQuestions(follow);
  for (const [kind, words] of Object.entries({ python: asPython, toml: asToml, sql: asSql })) byId(`copy-${kind}`).addEventListener("click", () => copy(words(), "copied"));
  byId("copy-link").addEventListener("click", () => { remember(); copy(location.href, "copied"); });
  ["curve", "attack", "known", "shape"].forEach(offer);
  byId("details").addEventListener("toggle", drawAll);
  byId("known-sources").replaceChildren(...knownSources().map((words) => element("li", {}, words)));
  new ResizeObserver(drawAll).observe(byId("choose-answer"));
  recall();
  moved();
}
