// The third view: from a file to published tables, step by step.
import { keep, opened } from "./address.js";
import { Refused, ask } from "./ask.js";
import { onDials, promise, setPromise } from "./choose.js";
import { copy } from "./copy.js";
import * as data from "./data_step.js";
import { byId, element, refusalBox } from "./element.js";
import { clearMarks, mark, plain, spokenOf } from "./fields.js";
import * as publish from "./publish.js";
import { forecast, setLink, sharePlan } from "./questions.js";
import { addQuestion, asked, begin, part, restore, typedIn, wholeOf } from "./question_form.js";
import { counted } from "./words.js";

const STEPS = [["data", "Data"], ["whose", "Whose rows"], ["limits", "Limits"], ["ask", "Questions"], ["publish", "Preview and release"]];
const LIMITS = { max_groups: "max-groups", max_rows: "max-rows", most_rows: "most-rows" };
const TYPED = ["max-groups", "max-rows", "most-rows", "ledger", "total-epsilon", "total-delta", "purpose", "data-name"];

let step = "data";
let ready = false;
const visited = new Set(); // steps that somebody has seen

async function showing(target, work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    target.replaceChildren(refusalBox(error.parts));
  }
}

export function openStep(name, { focus = true } = {}) {
  step = name;
  visited.add(name);
  for (const box of document.querySelectorAll("[data-step]")) box.hidden = box.dataset.step !== name;
  summarise();
  if (focus) document.querySelector(`[data-step="${name}"] :is(input, select, button):not([hidden])`)?.focus();
}

/** patient_id is about a patient. */
function person(column) {
  const name = column.replace(/[ _-]?(id|key|no|nr|number|code)$/i, "").replaceAll("_", " ").trim();
  return name && name !== column ? `${name} (${column})` : column;
}

const inWords = (typed, one) => (/^\d+$/.test(typed.trim()) ? counted(Number(typed), one) : typed);

/** What each step says so far; empty as long as something is missing. */
function summary(name) {
  const limits = Object.entries(LIMITS).filter(([, id]) => byId(id).value.trim());
  const path = byId("path").value.trim().split("/").at(-1);
  return {
    data: data.isLooked() ? `${path}, ${counted(data.columnCount(), "column")}` : "",
    whose: !data.isLooked() ? "" : data.isDataset() ? "as the dataset says" : byId("unit").value === "row" ? "every row a person" : byId("unit").value ? `each ${person(byId("unit").value)}` : "",
    limits: limits.map(([limit, id]) => `${limit === "most_rows" ? "nobody has more than " : ""}${inWords(byId(id).value, limit === "max_groups" ? "group" : "row")}`).join(", "),
    ask: !data.isLooked() || !visited.has("ask") ? "" : counted(document.querySelectorAll(".question").length, "question"),
    publish: byId("release-answer").textContent ? "released" : publish.previewed() ? "errors known beforehand" : "",
  }[name];
}

function summarise() {
  byId("stepper").replaceChildren(...STEPS.map(([name, label], place) => {
    const words = summary(name), done = Boolean(words) && name !== step;
    return element("li", {}, element("button", { type: "button", id: `step-${name}`, class: done ? "done" : "", "aria-current": name === step ? "step" : null, onclick: () => openStep(name) },
      element("span", { class: "bullet", "aria-hidden": "true" }, done ? "✓" : String(place + 1)),
      element("span", {}, element("strong", {}, label), element("span", { class: "hint" }, words ? ` ${words}` : ""))));
  }));
}

function changed() {
  clearMarks();
  publish.outdate();
  summarise();
  remember();
  share();
}

/** What is asked is what the other views speak of, as soon as nothing is missing. */
function share() {
  const whole = ready && data.isLooked() && (data.isDataset() || byId("unit").value);
  if (sharePlan(whole ? { data: data.dataPart(), bounds: bounds(), question: asked() } : null)) forecast(promise());
}

/** A plan is public: the address may say all of it. */
function remember() {
  if (!ready) return;
  const fields = Object.fromEntries(TYPED.filter((id) => byId(id).value).map((id) => [id, byId(id).value]));
  const plan = JSON.stringify({ ...data.dataPart(), types: data.typesSaid(), fields, ...promise(), questions: typedIn() });
  keep("release", { plan });
  setLink(plan);
}

async function recall() {
  const [, parts] = opened;
  if (!parts.has("plan")) return;
  let said;
  try {
    said = JSON.parse(parts.get("plan"));
  } catch {
    return; // an address that was cut off says nothing
  }
  for (const id of TYPED) if (typeof said.fields?.[id] === "string") byId(id).value = said.fields[id].slice(0, 4000);
  if (said.epsilon) {
    [byId("spend-epsilon").value, byId("spend-delta").value] = [String(said.epsilon), String(said.delta ?? "0")];
    setPromise(byId("spend-epsilon").value, byId("spend-delta").value);
  }
  await data.recall({ ...said, path: said.path ?? said.dataset });
  if (Array.isArray(said.questions) && said.questions.length) { restore(said.questions); visited.add("ask"); }
}

function guarantee(name) {
  const epsilon = plain(byId(`${name}-epsilon`).value), delta = plain(byId(`${name}-delta`).value);
  if (!epsilon) return null;
  return delta && Number(delta) !== 0 ? { epsilon, delta } : { epsilon };
}

function plan() {
  const total = guarantee("total");
  return {
    data: data.dataPart(),
    bounds: bounds(),
    budget: { ...(data.isDataset() && !byId("ledger").value.trim() ? {} : { ledger: byId("ledger").value }), spend: guarantee("spend") ?? {}, ...(total ? { total } : {}), purpose: byId("purpose").value.trim() || "release from the explorer" },
    question: asked(),
  };
}

/** What is left empty is not said: a question that depends on it is refused in words. */
function bounds() {
  return Object.fromEntries(Object.entries(LIMITS).filter(([, id]) => byId(id).value.trim()).map(([name, id]) => [name, wholeOf(byId(id).value)]));
}

/** What is missing is said where it is missing; nobody is asked to guess. */
function missing() {
  if (!byId("path").value.trim()) return ["path", "Say which file."];
  if (!data.isDataset() && !byId("unit").value) return ["unit", "Say whose row it is: nothing is protected before that is known."];
  if (!byId("spend-epsilon").value.trim()) return ["spend-epsilon", "Say how much to spend."];
  return null;
}

async function preview() {
  clearMarks();
  byId("preview-problem").replaceChildren();
  const absent = missing();
  if (absent) {
    refuse(byId(absent[0]), { rule: absent[1], finding: "", remedy: "" });
    return;
  }
  try {
    publish.show(await ask("preview", plan()));
    summarise();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    refuse(spokenOf(error.parts), error.parts);
  }
}

/** The old answer is dimmed, and the field that is wrong is marked, in its own step. */
function refuse(field, parts) {
  publish.outdate();
  if (field) {
    mark(field, parts.remedy ? `${parts.rule}. ${parts.remedy}` : parts.rule);
    const own = field.closest("[data-step]")?.dataset.step;
    if (own && own !== step) {
      byId(`step-${own}`).classList.add("wrong");
      byId(`step-${own}`).querySelector(".bullet").textContent = "!";
    }
  }
  const where = field?.closest("[data-step]")?.dataset.step;
  const go = where && where !== step ? element("button", { type: "button", class: "small", onclick: () => { openStep(where, { focus: false }); field.focus(); } }, `Go to “${STEPS.find(([name]) => name === where)[1]}”`) : null;
  byId("preview-problem").replaceChildren(...[refusalBox(parts), go].filter(Boolean));
}

/** ε and δ are the same in all views; a field that somebody is typing in is left alone. */
function sharePromise() {
  const fields = ["epsilon", "delta"].map((name) => [name, byId(`spend-${name}`)]);
  const follow = ([name, field]) => {
    if (field.value !== promise()[name]) { field.value = promise()[name]; publish.outdate(); }
  };
  for (const [name, field] of fields) {
    field.value = promise()[name];
    field.addEventListener("input", () => setPromise(byId("spend-epsilon").value, byId("spend-delta").value));
  }
  // At once: who comes here before the dials have come to rest must not find an older number.
  onDials(() => fields.filter(([, field]) => field !== document.activeElement).forEach(follow));
}

function take(kind) {
  const told = publish.previewed();
  if (!told) byId("plan-copied").textContent = "Preview it first: then it is known to be whole.";
  else copy(kind === "toml" ? told.plan : told.code[kind], "plan-copied");
}

export async function start() {
  for (const form of document.querySelectorAll("form[data-step]:not(#data-form)")) {
    const next = STEPS[STEPS.findIndex(([name]) => name === form.dataset.step) + 1][0];
    form.addEventListener("submit", (event) => { event.preventDefault(); openStep(next); });
  }
  byId("data-form").addEventListener("click", (event) => { if (event.target.id === "next-whose") openStep("whose"); });
  byId("add-question").addEventListener("click", () => { part(addQuestion(), "kind").focus(); changed(); });
  byId("budget-form").addEventListener("submit", (event) => { event.preventDefault(); preview(); });
  byId("release").addEventListener("input", (event) => { if (!event.target.closest("#data-form, #confirm")) changed(); });
  for (const kind of ["toml", "python", "sql"]) byId(`plan-${kind}`).addEventListener("click", () => take(kind));
  byId("plan-link").addEventListener("click", () => { remember(); copy(location.href, "plan-copied"); });
  publish.start(async (target, work) => { await showing(target, work); summarise(); });
  sharePromise();
  openStep("data", { focus: false });
  await showing(byId("questions"), async () => { begin(await ask("kinds", {}), changed); addQuestion(); });
  await data.start({ onChange: changed, showing });
  await recall();
  ready = true;
  remember();
  summarise();
  share();
}
