// The first steps of a release: which data, what columns hold, and whose rows they are.
import { Refused, ask, send } from "./ask.js";
import { byId, element, table } from "./element.js";
import { useColumns } from "./question_form.js";
import { bytes } from "./words.js";

const TYPES = { text: "text", integer: "whole number", number: "number", truth: "yes or no", date: "date", moment: "date and time" };

let columns = [];
let suggested = null;
let types = {};
let files = { folder: "", files: [], most: 0 };
let tell = () => {};
let showing = async () => {};

export const isCsv = () => /\.(csv|csv\.gz|tsv|txt)$/i.test(byId("path").value.trim());
export const isDataset = () => /\.toml$/i.test(byId("path").value.trim());
export const isLooked = () => columns.length > 0;
export const columnCount = () => columns.length;
export const typesSaid = () => types;

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

export async function look() {
  columns = [];
  byId("unit-box").hidden = true;
  const answer = await ask("columns", { path: byId("path").value, types: isCsv() ? types : null, table: isDataset() ? byId("dataset-table").value : null });
  columns = answer.columns;
  suggested = answer.unit ?? null;
  offerTables(answer);
  byId("columns-answer").replaceChildren(...columnList());
  offerUnits();
  byId("unit-box").hidden = false;
  tell();
}

const unlike = () => (isCsv() ? columns.filter((column) => column.guess && column.guess !== column.type) : []);

function columnList() {
  const guesses = unlike();
  const words = guesses.map((column) => `${column.name} (${TYPES[column.guess] ?? column.guess})`).join(", ");
  const take = guesses.length ? element("div", { class: "note" },
    element("p", {}, "By their names alone: ", element("strong", {}, words), ". No value was looked at: check it."),
    element("button", { type: "button", id: "take-guesses", onclick: () => { types = Object.fromEntries(columns.map((column) => [column.name, column.guess])); again(); } }, "Take all guesses")) : null;
  const list = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Columns" }, table(
    isCsv() ? "A CSV file does not say what its columns hold: you do. No value is shown." : null,
    [["Column", (column) => column.name], ["Holds", (column) => (isCsv() ? typeChoice(column) : TYPES[column.type] ?? column.type)]], columns));
  return [take, list, element("div", { class: "row" }, element("button", { type: "button", class: "strong", id: "next-whose" }, "Next: whose rows"))].filter(Boolean);
}

let again = () => {};

function typeChoice(column) {
  return element("select", { "aria-label": `${column.name} holds`, onchange: (event) => { types = { ...types, [column.name]: event.target.value }; again(); } },
    ...Object.entries(TYPES).map(([type, words]) => element("option", { value: type, selected: type === column.type }, words)));
}

/** Nothing is chosen for people: a wrong answer would protect rows instead of persons. */
function offerUnits() {
  const before = byId("unit").value;
  const option = (value, words) => element("option", { value, selected: value === before }, words);
  const order = [...columns].sort((one, other) => (other.name === suggested) - (one.name === suggested));
  byId("unit").replaceChildren(option("", "choose …"),
    ...order.map((column) => option(column.name, column.name === suggested ? `${column.name} (suggested by its name)` : column.name)),
    option("row", "every row is a person of its own"));
  if (!columns.some((column) => column.name === before) && before !== "row") byId("unit").value = "";
  useColumns(columns, byId("unit").value);
}

function explain() {
  const unit = byId("unit").value;
  byId("unit-hint").textContent = unit === "row" ? "Then somebody who has two rows is protected as if they were two people: only right if nobody has more than one."
    : unit ? `All rows with the same ${unit} are one person's.` : "";
  useColumns(columns, unit);
  tell();
}

export function dataPart() {
  if (isDataset()) return { dataset: byId("path").value, table: byId("dataset-table").value };
  const name = byId("data-name").value.trim();
  return { path: byId("path").value, ...(byId("unit").value ? { unit: byId("unit").value } : {}),
    ...(isCsv() && Object.keys(types).length ? { types } : {}), ...(name ? { name } : {}) };
}

async function offerFiles() {
  files = await ask("files", {});
  byId("files").replaceChildren(...files.files.slice(0, 12).map(({ name }) =>
    element("button", { type: "button", class: "small", onclick: () => pick(name) }, name)));
}

function pick(path) {
  byId("path").value = path;
  types = {};
  byId("dataset-table").replaceChildren();
  byId("dropped").textContent = "";
  return again();
}

/** A browser does not tell where a file lies. One of the page's folder is read there; of another a copy is made, for this run. */
function take(file) {
  if (!file) return undefined;
  const same = files.files.find((each) => each.name === file.name && each.size === file.size && each.modified === file.lastModified);
  return same ? pick(same.name) : showing(byId("columns-answer"), () => upload(file));
}

async function upload(file) {
  const told = (words) => { byId("dropped").textContent = words; };
  byId("columns-answer").replaceChildren();
  told(`Copying ${file.name} …`);
  try {
    if (file.size > files.most) throw new Refused({ rule: `${file.name} is too large to be dropped`, finding: `${bytes(file.size)}, and at most ${bytes(files.most)} are taken`, remedy: "Type its path instead: then it is read where it lies." }, 413);
    const { path } = await send(file);
    await pick(path);
    told(`A copy of ${file.name} lies in a folder that only you can read, until the program ends. To read the file where it is, type its path.`);
  } catch (error) {
    told("");
    throw error;
  }
}

function dropped(event) {
  event.preventDefault();
  byId("drop").classList.remove("over");
  take(event.dataTransfer.files[0]);
}

async function demo() {
  const made = await ask("demo", {});
  byId("ledger").value = made.ledger;
  byId("ledger").dispatchEvent(new Event("input"));
  byId("data-name").value = "invented visits";
  await pick(made.path);
}

export async function start({ onChange, showing: show }) {
  tell = onChange;
  showing = show;
  again = () => showing(byId("columns-answer"), look);
  byId("data-form").addEventListener("submit", (event) => { event.preventDefault(); types = isCsv() ? types : {}; again(); });
  byId("path").addEventListener("change", () => { types = {}; byId("dataset-table").replaceChildren(); });
  byId("dataset-table").addEventListener("change", () => again());
  byId("unit").addEventListener("change", explain);
  byId("demo").addEventListener("click", () => showing(byId("columns-answer"), demo));
  const drop = byId("drop");
  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", dropped);
  byId("pick").addEventListener("change", () => { take(byId("pick").files[0]); byId("pick").value = ""; });
  await showing(byId("columns-answer"), offerFiles);
}

/** What a link says of the data. */
export async function recall(said) {
  byId("path").value = said.path ?? "";
  types = said.types ?? {};
  if (!said.path) return;
  if (said.table) byId("dataset-table").replaceChildren(element("option", { value: said.table, selected: true }, said.table));
  await again();
  byId("unit").value = said.unit ?? "";
  byId("data-name").value = said.name ?? "";
  explain();
}
