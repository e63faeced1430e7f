// The last step of a release: what it will give, what it costs, and what was published.
import { ask } from "./ask.js";
import { follow } from "./budget.js";
import { byId, coded, element, refusalBox, table } from "./element.js";
import { partsBar, whisker } from "./picture.js";
import { forecastTable } from "./questions.js";
import { chip, counted, short, times } from "./words.js";

const region = (label, inside) => element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, inside);

let waiting = null;

/** What was previewed last, as files and programs say it. */
export const previewed = () => waiting;

/** Something was changed: what is shown is not about it any more. */
export function outdate() {
  waiting = null;
  byId("preview-answer").classList.add("old");
  byId("spend-bar").replaceChildren();
}

export function show(answer) {
  waiting = answer;
  byId("preview-answer").classList.remove("old");
  const list = region("Expected errors", forecastTable("Known before any data is read", answer.questions));
  const others = [...answer.keys, ...answer.cuts].map((row) => `${row.note} (${short(100 * row.share, 2)}\u00a0% of the budget)`);
  const proved = answer.questions.filter((row) => row.ratio !== null).map((row) => `${row.question}: proved to be at most ${times(row.ratio)} the least noise there is.`);
  const hints = [...answer.questions.flatMap((row) => row.notes), ...proved, ...others, ...answer.questions.flatMap((row) => row.advice.map((text) => `${row.question}: ${text}.`))];
  const text = element("details", {}, element("summary", {}, "The same as a plan's file"), element("pre", { tabindex: "0" }, answer.plan));
  byId("preview-answer").replaceChildren(list, ...hints.map((words) => element("p", { class: "hint" }, ...coded(words))), text);
  byId("spend-bar").replaceChildren(answer.ledger.refused ? refusalBox(answer.ledger.refused) : spending(answer));
}

/** The bar that spends stays in sight; its button says the price. */
function spending(answer) {
  const { ledger } = answer, [spent, now] = ledger.parts.length ? ledger.parts : [0, 0];
  const facts = [ledger.new ? "A new ledger is begun." : "", ledger.earlier, ...ledger.held, "What is spent stays spent."].filter(Boolean);
  return element("div", { class: "spend" },
    element("div", {}, element("h2", {}, `Release ${counted(answer.questions.length, "table")} about ${answer.about}?`), partsBar(spent, now),
      ...ledger.sums.map((sum) => element("p", { class: "sum" }, sum)), element("p", { class: "hint" }, facts.join(" "))),
    element("button", { type: "button", class: "strong", id: "go", onclick: () => confirm(answer) }, `Spend ${answer.spend.text} and release …`));
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

function decided(showing) {
  if (byId("confirm").returnValue !== "yes" || waiting === null || !byId("confirm-check").checked) return null;
  const { ticket } = waiting;
  waiting = null;
  byId("spend-bar").replaceChildren();
  const target = byId("release-answer");
  target.replaceChildren(element("p", { class: "card waiting" }, "Reading, bounding, charging, drawing …"));
  return showing(target, async () => {
    const made = await ask("release", { ticket, confirmed: true });
    target.replaceChildren(released(made));
    follow(byId("ledger").value);
    await listMade();
  });
}

const address = (number, file) => `download/${number}/${file}`;
const links = (number) => [["report.html", "report"], ["release.json", "JSON"], ["plan.toml", "plan"]].map(([file, words]) =>
  element("a", { href: address(number, file), download: true }, words));

function released(made) {
  const link = (file, text) => element("a", { href: address(made.number, file), download: true }, text);
  const all = [link("report.html", "the report"), link("release.json", "everything as JSON"), link("plan.toml", "the plan")];
  return element("div", { class: "card" }, element("h2", {}, "Released"),
    element("p", { class: "good" }, element("strong", {}, "Done. "), `Line ${made.line} of the ledger, ${made.guarantee.text}. Left: ${made.remaining.text}.`),
    element("p", { class: "row", id: "downloads" }, "Download: ", ...all), ...made.flags.map(beware), ...made.tables.flatMap((each) => shown(each, link)));
}

const beware = (words) => element("p", { class: "beware" }, words);

function shown(made, link) {
  const has = (name) => made.answers.some((answer) => answer[name]);
  const low = Math.min(...made.answers.map((answer) => answer.lower)), high = Math.max(...made.answers.map((answer) => answer.upper));
  const more = made.count > made.answers.length ? element("p", { class: "hint" }, `The first ${made.answers.length} of ${made.count.toLocaleString("en")}; all are in the file.`) : null;
  return [element("h3", {}, `${made.name} `, link(made.file, "CSV")),
    element("p", { class: "hint" }, [made.mechanism, ...(made.ratio === null ? [] : [`proved: at most ${times(made.ratio)} the least noise there is for one such number`]), ...made.notes].join("; ")),
    region(made.name, table(null, [
      ...[...made.columns, "Value", "95 % interval"].map((name, place) => [name, (answer) => answer.cells[place], place >= made.columns.length]),
      ["Interval drawn", (answer) => whisker(answer, low, high)],
      ...(has("grade") ? [["Grade", (answer) => chip(answer.grade)]] : []),
      ...(has("flags") ? [["Flags", (answer) => answer.flags]] : []),
    ], made.answers)), made.remarks.length ? element("ul", { class: "remarks" }, ...made.remarks.map((words) => element("li", {}, ...coded(words)))) : null, more].filter(Boolean);
}

/** The releases of this session, the latest first, each with its files. */
export async function listMade() {
  const { releases } = await ask("made", {});
  byId("made-box").hidden = releases.length === 0;
  byId("made").replaceChildren(region("Releases of this session", table(null, [
    ["Time (UTC)", (each) => each.time], ["Data", (each) => each.about], ["Tables", (each) => each.tables.join(", ")],
    ["Spent", (each) => each.price], ["Line", (each) => String(each.line), true],
    ["Files", (each) => element("span", { class: "row" }, ...links(each.number))],
  ], releases)));
}

export function start(showing) {
  byId("confirm-check").addEventListener("change", (event) => { byId("confirm-yes").disabled = !event.target.checked; });
  byId("confirm").addEventListener("close", () => decided(showing));
}
