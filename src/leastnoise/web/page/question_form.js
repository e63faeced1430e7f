// The form of a question: its fields are what the program says a kind has.
import { plain } from "./fields.js";
import { byId, element } from "./element.js";

const NUMERIC = new Set(["integer", "number"]);
const GUESSES = ["expected", "expected_answer"];
const BOUNDS = ["max_groups", "max_rows"];
const TESTS = [["is", "is"], ["is_not", "is not"], ["at_least", "is at least"], ["at_most", "is at most"], ["above", "is above"], ["below", "is below"]];

let forms = { kinds: [], parts: {} }; // what can be asked, as the program says
let columns = [];
let unit = "";
let number = 0;
let changed = () => {};

export function begin(told, onChange) {
  forms = told;
  changed = onChange;
}

/** The columns of the data, and the one that says whose rows they are. */
export function useColumns(found, whose) {
  columns = found;
  unit = whose;
  for (const select of document.querySelectorAll("select[data-columns]")) fillColumns(select);
  document.querySelectorAll(".question").forEach(declare);
}

/** Means of ids say nothing, so that columns that name things are not offered for them. */
function fits(column, kind) {
  return kind !== "numeric" || (NUMERIC.has(column.type) && !column.id && column.name !== unit);
}

function fillColumns(select) {
  const before = select.value, kind = select.dataset.columns;
  const none = { all: "nothing: one answer", some: "(all rows)" }[kind];
  select.replaceChildren(...(none ? [element("option", { value: "" }, none)] : []),
    ...columns.filter((column) => fits(column, kind)).map((column) => element("option", { value: column.name, selected: column.name === before }, column.name)));
}

export function addQuestion() {
  number += 1;
  const id = (name) => `question-${number}-${name}`;
  const box = element("fieldset", { class: "question", oninput: () => changed() });
  const row = (name, label, made) => [element("label", { for: id(name) }, label), made];
  const choice = (name, attributes, ...options) => element("select", { id: id(name), "data-part": name, ...attributes }, ...options);
  const field = (name, attributes) => element("input", { id: id(name), "data-part": name, autocomplete: "off", ...attributes });
  const change = { onchange: () => adapt(box) };
  const condition = (name, label, kind, test, value) => [
    ...row(name, label, choice(name, { "data-columns": kind, ...change })),
    ...row(test, "Comparison", choice(test, {}, ...TESTS.map(([value, text]) => element("option", { value }, text)))),
    ...row(value, "Value", field(value, {}))];
  const parts = Object.entries(forms.parts).flatMap(([name, { label, type, start, example }]) => type === "object"
    ? condition(name, label, "every", `${name}-test`, `${name}-value`)
    : row(name, label, type === "string" ? choice(name, { "data-columns": "numeric", onchange: () => declare(box) })
      : field(name, example === undefined ? { value: start } : { placeholder: `such as ${example}` })));
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
    element("button", { type: "button", class: "small", "aria-label": `Remove question ${number}`, onclick: () => { box.remove(); changed(); } }, "Remove"));
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

export const part = (box, name) => box.querySelector(`[data-part="${name}"]`);
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
  const wanted = kind.ask === "distinct" ? "every" : "numeric", column = part(box, "column");
  if (column.dataset.columns !== wanted) {
    column.dataset.columns = wanted;
    fillColumns(column);
  }
}

function hide(box, name, hidden) {
  const field = part(box, name);
  field.hidden = hidden;
  box.querySelector(`label[for="${field.id}"]`).hidden = hidden;
}

const boxes = () => [...document.querySelectorAll(".question")];

/** Another view says something of a question. */
export function write(number, name, value) {
  const field = part(boxes()[number], name);
  field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** The questions as a plan has them. */
export const asked = () => boxes().map(askedIn);

function askedIn(box) {
  const value = (name) => part(box, name).value.trim();
  const kind = kindOf(box), question = { ask: kind.ask };
  const compared = (name, test, worth) => ({ column: value(name), [value(test)]: typed(value(worth), typeOf(value(name))) });
  const read = { integer: wholeOf, array: listed };
  for (const name of kind.parts) {
    const { type } = forms.parts[name];
    if (type !== "object" && !value(name)) continue; // what is not said may be declared; else it is asked for in words
    question[name] = type === "object" ? compared(name, `${name}-test`, `${name}-value`) : (read[type] ?? plain)(value(name));
  }
  if (value("by") && kind.grouped) {
    const type = typeOf(value("by"));
    const keys = value("found") === "private" ? "private" : listed(value("keys")).map((word) => typed(word, type));
    Object.assign(question, { by: value("by"), ...(keys.length ? { keys } : {}) }); // groups that are declared need no list
    if (question.keys === "private" && value("at_least")) question.at_least = wholeOf(value("at_least"));
  }
  for (const name of kind.bounds) if (!part(box, name).hidden && value(name)) question[name] = wholeOf(value(name));
  for (const name of kind.guesses) if (value(name)) question[name] = name === "expected" ? wholeOf(value(name)) : plain(value(name));
  if (value("where")) question.where = compared("where", "test", "value");
  return question;
}

/** What every form says, to be kept in the address. */
export const typedIn = () => boxes().map((box) => Object.fromEntries(
  [...box.querySelectorAll("[data-part]")].filter((field) => !field.hidden && field.value).map((field) => [field.dataset.part, field.value])));

/** Forms that say what `typedIn` gave. */
export function restore(said) {
  boxes().forEach((box) => box.remove());
  for (const each of said) {
    const box = addQuestion();
    for (const round of [["kind", "by", "where", "found"], Object.keys(each)]) {
      for (const name of round) if (each[name] !== undefined && part(box, name)) part(box, name).value = String(each[name]).slice(0, 4000);
      adapt(box);
    }
  }
}

const listed = (text) => text.split(",").map((word) => word.trim()).filter(Boolean);
const typeOf = (name) => columns.find((column) => column.name === name)?.type;

/** A word as a value of a column's type; what does not fit stays text, and is refused in words. */
function typed(word, type) {
  if (type === "integer" && /^[+-]?\d+$/.test(word)) return Number(word);
  if (type === "number" && word !== "" && Number.isFinite(Number(plain(word)))) return Number(plain(word));
  if (type === "truth" && (word === "true" || word === "false")) return word === "true";
  return word;
}

export function wholeOf(text) {
  return /^\d+$/.test(text.trim()) ? Number(text) : text;
}
