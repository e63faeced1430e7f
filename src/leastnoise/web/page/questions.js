// The questions of the plan, in all views: Release asks them, Choose and Bounds speak of them and write back.
import { Latest } from "./ask.js";
import { byId, element, table } from "./element.js";
import { lengthBar } from "./picture.js";
import { atMost, chip, short } from "./words.js";

const SUMS = ["count", "units", "distinct", "sum", "histogram", "marginals"];

let plan = null; // what Release asks, while nothing is missing
let told = []; // what its answers will be off by, for the promise of the last look
let promised = ""; // that promise
let number = -1; // the question that is looked at; -1 for a count of one's own
let listeners = [];

const forecasts = new Latest("forecast", ({ questions }, asked) => use(questions, asked), () => use([], null));

/** Be told of other questions, other forecasts, or another question that is looked at. */
export function onQuestions(listener) {
  listeners.push(listener);
}

const tell = () => listeners.forEach((listener) => listener());

function use(questions, asked) {
  told = plan && asked && sameQuestions(asked) ? questions : [];
  promised = asked ? promiseKey(asked) : "";
  if (wanted >= 0 && wanted < told.length) [number, wanted] = [wanted, -1];
  if (number >= told.length) number = -1;
  tell();
}

export const promiseKey = ({ epsilon, delta }) => JSON.stringify([epsilon, delta]);

/** Whether the forecasts are for this very promise. */
export const isFor = (promise) => promised === promiseKey(promise);

const sameQuestions = (asked) => JSON.stringify(asked.question) === JSON.stringify(plan.question);

/** What Release asks now; null while something is missing. */
export function sharePlan(changed) {
  if (JSON.stringify(changed) === JSON.stringify(plan)) return false;
  plan = changed;
  if (!plan) use([], null);
  return Boolean(plan);
}

/** What the answers will be off by, for a promise: exact, but not always at once. */
export function forecast(promise) {
  if (plan) forecasts.put({ ...plan, ...promise });
}

/** The question that is looked at, with its number and its forecast; null for a count of one's own. */
export const looked = () => (told[number] ? { ...told[number], number, asked: plan.question[number] } : null);

export const known = () => told;

/** What the program is asked about one question of the plan; how many are expected changes no noise of a count or a sum. */
export function about(promise) {
  const plainly = ({ expected, expected_answer, ...rest }) => (SUMS.includes(rest.ask) ? rest : { expected, expected_answer, ...rest });
  return { ...plan, question: plan.question.map(plainly), ...promise, number };
}

let link = ""; // what the address of Release says
let wanted = -1; // the question that an address says is looked at, once it is known

/** What an address says of the plan, if a question of it is looked at. */
export const linked = () => (number >= 0 && link ? { plan: link, question: number } : {});

export function setLink(text) {
  link = text;
}

export function lookLater(chosen) {
  wanted = chosen;
}

export function look(chosen) {
  if (chosen === number) return;
  number = chosen;
  tell();
}

/** A choice of the questions; the same one is looked at in every view. */
export function offerQuestions(id, own) {
  byId(id).addEventListener("change", () => look(Number(byId(id).value)));
  onQuestions(() => {
    byId(`${id}-box`).hidden = told.length === 0;
    byId(id).replaceChildren(element("option", { value: -1 }, own), ...told.map((row, place) => element("option", { value: place }, row.question)));
    byId(id).value = String(number);
  });
}

const percent = (part) => `${atMost(100 * part, 2)}\u00a0%`;

/** What each question will be off by; no column stays empty. */
export function forecastTable(caption, rows) {
  const has = (name) => rows.some((row) => row[name]);
  return table(caption, [
    ["Question", (row) => element("strong", {}, row.question)],
    ["Answers", (row) => (row.answers === null ? "those found" : row.answers.toLocaleString("en")), true],
    ["Noise, 95\u00a0%", (row) => row.interval, true],
    ...(has("part") ? [["As a share", (row) => (row.part ? `${percent(row.part)} of ${short(row.about)}` : "–"), true]] : []),
    ...(has("grade") ? [["Grade", (row) => chip(row.grade)]] : []),
    ["Part of the budget", (row) => `${short(100 * row.share, 2)}\u00a0%`, true],
    ["Drawn", (row) => lengthBar(row.share)],
  ], rows);
}
