// The third view: from a file to published tables.
import { Refused, ask } from "./ask.js";
import { follow } from "./budget.js";
import { byId, element, refusalBox, table } from "./element.js";
import { whisker } from "./picture.js";
import { counted, short, times } from "./words.js";

const NUMERIC = new Set(["integer", "number"]);
const GUESSES = ["expected", "expected_answer"];
const BOUNDS = ["max_groups", "max_rows"];
const TESTS = [["is", "is"], ["is_not", "is not"], ["at_least", "is at least"], ["at_most", "is at most"], ["above", "is above"], ["below", "is below"]];
const TYPES = ["text", "integer", "number", "truth", "date", "moment"];

let forms = { kinds: [], parts: {} }; // what can be asked, as the program says
let columns = [];
let types = {};
let number = 0;
let waiting = null;

async function showing(target, work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    target.replaceChildren(refusalBox(error.parts));
  }
}

const isCsv = () => /\.(csv|csv\.gz|tsv|txt)$/i.test(byId("path").value.trim());

const isDataset = () => /\.toml$/i.test(byId("path").value.trim());

/** A dataset says whose rows they are and what the data are called; it has tables to choose from. */
function offerTables(answer) {
  const tables = answer.tables ?? [];
  byId("dataset-table").replaceChildren(...tables.map((name) => element("option", { value: name, selected: name === answer.table }, name)));
  const shown = { "dataset-table": tables.length > 0, unit: tables.length === 0, "data-name": tables.length === 0 };
  for (const [id, visible] of Object.entries(shown)) {
    byId(id).hidden = !visible;
    document.querySelector(`label[for="${id}"]`).hidden = !visible;
  }
}

function look() {
  const target = byId("columns-answer");
  return showing(target, async () => {
    byId("unit-box").hidden = true;
    const answer = await ask("columns", { path: byId("path").value, types: isCsv() ? types : null, table: isDataset() ? byId("dataset-table").value : null });
    columns = answer.columns;
    offerTables(answer);
    target.replaceChildren(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Columns" }, table(
      isCsv() ? "Say what CSV columns hold; guessing would mean looking at the data." : null,
      [["Column", (column) => column.name], ["Holds", (column) => (isCsv() ? typeChoice(column) : column.type)]], columns)));
    offer();
    byId("unit-box").hidden = false;
  });
}

function typeChoice(column) {
  return element("select", { "aria-label": `${column.name} holds`, onchange: (event) => { types = { ...types, [column.name]: event.target.value }; look(); } },
    ...TYPES.map((type) => element("option", { value: type, selected: type === column.type }, type)));
}

function offer() {
  const before = byId("unit").value;
  byId("unit").replaceChildren(element("option", { value: "row" }, "every row is a person of its own"),
    ...columns.map((column) => element("option", { value: column.name, selected: column.name === before }, column.name)));
  for (const select of document.querySelectorAll("select[data-columns]")) fillColumns(select);
  document.querySelectorAll(".question").forEach(declare);
}

function fillColumns(select) {
  const before = select.value;
  const kind = select.dataset.columns;
  const fits = columns.filter((column) => kind !== "numeric" || NUMERIC.has(column.type));
  const none = { all: "nothing: one answer", some: "(all rows)" }[kind];
  select.replaceChildren(...(none ? [element("option", { value: "" }, none)] : []), ...fits.map((column) => element("option", { value: column.name, selected: column.name === before }, column.name)));
}

function addQuestion() {
  number += 1;
  const id = (name) => `question-${number}-${name}`;
  const box = element("fieldset", { class: "question" });
  const row = (name, label, made) => [element("label", { for: id(name) }, label), made];
  const choice = (name, attributes, ...options) => element("select", { id: id(name), "data-part": name, ...attributes }, ...options);
  const field = (name, attributes) => element("input", { id: id(name), "data-part": name, autocomplete: "off", ...attributes });
  const change = { onchange: () => adapt(box) };
  const condition = (name, label, kind, test, value) => [
    ...row(name, label, choice(name, { "data-columns": kind, ...change })),
    ...row(test, "Comparison", choice(test, {}, ...TESTS.map(([value, text]) => element("option", { value }, text)))),
    ...row(value, "Value", field(value, {}))];
  const parts = Object.entries(forms.parts).flatMap(([name, { label, type, start }]) => type === "object"
    ? condition(name, label, "every", `${name}-test`, `${name}-value`)
    : row(name, label, type === "string" ? choice(name, { "data-columns": "numeric", onchange: () => declare(box) }) : field(name, { value: start })));
  box.append(element("legend", {}, `Question ${number}`), element("div", { class: "grid wide" },
    ...row("kind", "Ask for the", choice("kind", change, ...forms.kinds.map((kind) => element("option", { value: kind.ask }, kind.label)))),
    ...parts,
    ...row("by", "In each group of", choice("by", { "data-columns": "all", ...change })),
    ...row("found", "The groups are", choice("found", change, element("option", { value: "listed" }, "listed here"), element("option", { value: "private" }, "found in the data (needs δ)"))),
    ...row("keys", "Groups, separated by commas", field("keys", { placeholder: "Oslo, Bergen, Trondheim" })),
    ...row("at_least", "Show no group of fewer people than", field("at_least", { placeholder: "any number" })),
    ...condition("where", "Only rows whose", "some", "test", "value"),
    ...row("max_groups", "Groups of one person that count here", field("max_groups", { placeholder: "as in the plan" })),
    ...row("max_rows", "Rows of one person that count here", field("max_rows", { placeholder: "as in the plan" })),
    ...row("expected", "Rows one answer is about, for the forecast", field("expected", { placeholder: "not known" })),
    ...row("expected_answer", "The answer you expect, for the forecast", field("expected_answer", { placeholder: "not known" }))),
    element("button", { type: "button", "aria-label": `Remove question ${number}`, onclick: () => box.remove() }, "Remove"));
  byId("questions").append(box);
  box.querySelectorAll("select[data-columns]").forEach(fillColumns);
  declare(box);
  adapt(box);
  return box;
}

/** Where a dataset declares the range of a column, the form begins with that; people may narrow it. */
function declare(box) {
  for (const [name, prefix] of [["column", ""], ["other", "other_"], ["over", "over_"]]) {
    const found = columns.find((column) => column.name === part(box, name).value);
    if (found?.lower === undefined) continue;
    part(box, `${prefix}lower`).value = found.lower;
    part(box, `${prefix}upper`).value = found.upper;
  }
}

const part = (box, name) => box.querySelector(`[data-part="${name}"]`);
const kindOf = (box) => forms.kinds.find((kind) => kind.ask === part(box, "kind").value);

function adapt(box) {
  const kind = kindOf(box), grouped = kind.grouped && Boolean(part(box, "by").value);
  for (const [name, { type }] of Object.entries(forms.parts))
    for (const each of type === "object" ? [name, `${name}-test`, `${name}-value`] : [name]) hide(box, each, !kind.parts.includes(name));
  hide(box, "by", !kind.grouped);
  hide(box, "found", !grouped);
  hide(box, "keys", !grouped || part(box, "found").value !== "listed");
  hide(box, "at_least", !grouped || part(box, "found").value !== "private");
  for (const name of GUESSES) hide(box, name, !kind.guesses.includes(name));
  for (const name of BOUNDS) hide(box, name, !kind.bounds.includes(name));
  if (!grouped) hide(box, "max_groups", true);
  for (const name of ["test", "value"]) hide(box, name, !part(box, "where").value);
}

function hide(box, name, hidden) {
  const field = part(box, name);
  field.hidden = hidden;
  box.querySelector(`label[for="${field.id}"]`).hidden = hidden;
}

function asked(box) {
  const value = (name) => part(box, name).value.trim();
  const kind = kindOf(box), question = { ask: kind.ask };
  const compared = (name, test, worth) => ({ column: value(name), [value(test)]: typed(value(worth), typeOf(value(name))) });
  const read = { integer: wholeOf, array: listed };
  for (const name of kind.parts) {
    const { type } = forms.parts[name];
    if (type !== "object" && !value(name)) continue; // what is not said may be declared; else it is asked for in words
    question[name] = type === "object" ? compared(name, `${name}-test`, `${name}-value`) : (read[type] ?? ((text) => text))(value(name));
  }
  if (value("by") && kind.grouped) {
    const type = typeOf(value("by"));
    const keys = value("found") === "private" ? "private" : listed(value("keys")).map((word) => typed(word, type));
    Object.assign(question, { by: value("by"), ...(keys.length ? { keys } : {}) }); // groups that are declared need no list
    if (question.keys === "private" && value("at_least")) question.at_least = wholeOf(value("at_least"));
  }
  for (const name of kind.bounds) if (!part(box, name).hidden && value(name)) question[name] = wholeOf(value(name));
  for (const name of kind.guesses) if (value(name)) question[name] = name === "expected" ? wholeOf(value(name)) : value(name);
  if (value("where")) question.where = compared("where", "test", "value");
  return question;
}

const listed = (text) => text.split(",").map((word) => word.trim()).filter(Boolean);
const typeOf = (name) => columns.find((column) => column.name === name)?.type;

/** A word as a value of a column's type; what does not fit stays text, and is refused in words. */
function typed(word, type) {
  if (type === "integer" && /^[+-]?\d+$/.test(word)) return Number(word);
  if (type === "number" && word !== "" && Number.isFinite(Number(word))) return Number(word);
  if (type === "truth" && (word === "true" || word === "false")) return word === "true";
  return word;
}

function guarantee(name) {
  const epsilon = byId(`${name}-epsilon`).value.trim(), delta = byId(`${name}-delta`).value.trim();
  if (!epsilon) return null;
  return delta && Number(delta) !== 0 ? { epsilon, delta } : { epsilon };
}

function plan() {
  const total = guarantee("total");
  const data = isDataset() ? { dataset: byId("path").value, table: byId("dataset-table").value } : { path: byId("path").value, unit: byId("unit").value || "row" };
  if (isCsv() && Object.keys(types).length) data.types = types;
  if (!isDataset() && byId("data-name").value.trim()) data.name = byId("data-name").value.trim();
  return {
    data,
    bounds: bounds(),
    budget: { ...(isDataset() && !byId("ledger").value.trim() ? {} : { ledger: byId("ledger").value }), spend: guarantee("spend") ?? {}, ...(total ? { total } : {}), purpose: byId("purpose").value.trim() || "release from the explorer" },
    question: [...document.querySelectorAll(".question")].map(asked),
  };
}

/** What is left empty is not said: a question that depends on it is refused in words. */
function bounds() {
  const said = { max_groups: byId("max-groups").value, max_rows: byId("max-rows").value, most_rows: byId("most-rows").value };
  return Object.fromEntries(Object.entries(said).filter(([, text]) => text.trim()).map(([name, text]) => [name, wholeOf(text)]));
}

function wholeOf(text) {
  return /^\d+$/.test(text.trim()) ? Number(text) : text;
}

function preview() {
  const target = byId("preview-answer");
  waiting = null;
  return showing(target, async () => {
    const answer = await ask("preview", plan());
    waiting = answer;
    const list = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Expected errors" }, table("Expected errors, known before any data is read", [
      ["Question", (row) => row.question],
      ["Answers", (row) => (row.answers === null ? "those found" : row.answers.toLocaleString("en")), true],
      ["Mean error", (row) => row.error, true],
      ["95 % within", (row) => row.interval, true],
      ["Budget", (row) => `${short(100 * row.share)} %`, true],
      ["Proved", (row) => (row.ratio === null ? "" : `at most ${times(row.ratio)} the least`)],
    ], [...answer.questions, ...[...answer.keys, ...answer.cuts].map((row) => ({ ...row, answers: null, error: "", interval: "", ratio: null }))]));
    const hints = [...answer.questions.flatMap((row) => row.notes), ...[...answer.keys, ...answer.cuts].map((row) => row.note), ...answer.questions.flatMap((row) => row.advice.map((text) => `${row.question}: ${text}`))];
    const advice = hints.map((text) => element("p", { class: "hint" }, text));
    const left = element("p", {}, answer.ledger.new ? `A new ledger will be begun with ${answer.ledger.remaining.text}.` : `The ledger has ${answer.ledger.remaining.text} left.`);
    const text = element("details", {}, element("summary", {}, "The same as a plan's file"), element("pre", { tabindex: "0" }, answer.plan));
    if (answer.ledger.refused) {
      target.replaceChildren(list, ...advice, refusalBox(answer.ledger.refused), left, text);
      return;
    }
    const go = element("button", { type: "button", class: "strong", id: "go", onclick: () => confirm(answer) }, `Release for ${answer.spend.text} …`);
    target.replaceChildren(list, ...advice, left, text, go);
  });
}

function confirm(answer) {
  const known = answer.questions.every((row) => row.answers !== null);
  const answers = known ? counted(answer.questions.reduce((sum, row) => sum + row.answers, 0), "answer") : "the groups that are found";
  byId("confirm-words").textContent = `This publishes ${answers} and spends ${answer.spend.text} of the budget in ${byId("ledger").value}.`;
  byId("confirm-check").checked = false;
  byId("confirm-yes").disabled = true;
  byId("confirm").returnValue = "";
  byId("confirm").showModal();
}

function decided() {
  if (byId("confirm").returnValue !== "yes" || waiting === null || !byId("confirm-check").checked) return null;
  const { ticket } = waiting;
  waiting = null;
  byId("go")?.remove();
  const target = byId("release-answer");
  target.replaceChildren(element("p", { class: "card waiting" }, "Reading, bounding, charging, drawing …"));
  return showing(target, async () => {
    const made = await ask("release", { ticket, confirmed: true });
    target.replaceChildren(released(made));
    follow(byId("ledger").value);
  });
}

function released(made) {
  const link = (file, text) => element("a", { href: `download/${made.number}/${file}`, download: true }, text);
  const links = [link("release.json", "everything as JSON"), link("plan.toml", "the plan"), link("report.html", "the report")];
  return element("div", { class: "card" }, element("h2", {}, "Released"),
    element("p", { class: "good" }, element("strong", {}, "Done. "), `Line ${made.line} of the ledger, ${made.guarantee.text}. Left: ${made.remaining.text}.`),
    element("p", { class: "row", id: "downloads" }, "Download: ", ...links), ...made.flags.map(beware), ...made.tables.flatMap((each) => shown(each, link)));
}

const beware = (words) => element("p", { class: "beware" }, words);

function shown(made, link) {
  const flagged = made.answers.some((answer) => answer.flags);
  const low = Math.min(...made.answers.map((answer) => answer.lower)), high = Math.max(...made.answers.map((answer) => answer.upper));
  const more = made.count > made.answers.length ? element("p", { class: "hint" }, `The first ${made.answers.length} of ${made.count.toLocaleString("en")}; all are in the file.`) : null;
  return [element("h3", {}, `${made.name} `, link(made.file, "CSV")),
    element("p", { class: "hint" }, [made.mechanism, ...(made.ratio === null ? [] : [`proved: at most ${times(made.ratio)} the least noise there is for one such number`]), ...made.notes].join("; ")),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": made.name }, table(null, [
      ...[...made.columns, "Value", "95 % interval"].map((name, place) => [name, (answer) => answer.cells[place], place >= made.columns.length]),
      ["", (answer) => whisker(answer, low, high)],
      ...(flagged ? [["Flags", (answer) => answer.flags]] : []),
    ], made.answers)), ...made.remarks.map(beware), more].filter(Boolean);
}

export async function start() {
  byId("data-form").addEventListener("submit", (event) => { event.preventDefault(); types = isCsv() ? types : {}; look(); });
  byId("path").addEventListener("change", () => { types = {}; byId("dataset-table").replaceChildren(); });
  byId("dataset-table").addEventListener("change", look);
  byId("add-question").addEventListener("click", () => part(addQuestion(), "kind").focus());
  byId("budget-form").addEventListener("submit", (event) => { event.preventDefault(); preview(); });
  byId("confirm-check").addEventListener("change", (event) => { byId("confirm-yes").disabled = !event.target.checked; });
  byId("confirm").addEventListener("close", decided);
  await showing(byId("questions"), async () => { forms = await ask("kinds", {}); addQuestion(); });
}
