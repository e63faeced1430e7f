// The fourth view: a ledger's lines and what is left; the same ledger as in Release.
import { keep, spoken } from "./address.js";
import { Refused, afterPause, ask } from "./ask.js";
import { byId, element, facts, refusalBox, table } from "./element.js";
import { spentBar } from "./picture.js";
import { counted } from "./words.js";

async function show() {
  keep("budget", { ledger: byId("ledger-path").value });
  const target = byId("ledger-answer");
  try {
    const ledger = await ask("budget", { ledger: byId("ledger-path").value });
    const list = element("dl", { class: "facts" });
    facts(list, [
      ...(ledger.dataset ? [["Data", ledger.dataset]] : []),
      ["Whole budget", ledger.total.text],
      ...ledger.sums.map((sum, place) => [place ? "" : "Left", sum]),
      ...ledger.held.map((words) => ["", words]),
      ["Seal", element("code", {}, ledger.seal)],
    ]);
    const lines = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Lines of the ledger" }, table(caption(ledger), [
      ["Line", (row) => String(row.number), true],
      ["Time (UTC)", (row) => row.time.slice(0, 16).replace("T", " ")],
      ["Price", (row) => row.price],
      ["Purpose", (row) => row.purpose],
      ...(ledger.lines.some((row) => Object.keys(row.labels).length) ? [["Labels", (row) => Object.entries(row.labels).map(([name, value]) => `${name}: ${value}`).join(", ")]] : []),
    ], ledger.lines.toReversed()));
    const inside = ledger.balances.length > 1 ? element("div", { class: "card" }, element("h2", {}, "Budgets inside it"),
      element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Budgets inside the total" }, table(null, [
        ["For", (row) => row.name], ["Promise", (row) => row.promise], ["Limit", (row) => row.limits], ["Spent", (row) => row.spent], ["Left", (row) => row.remaining],
      ], ledger.balances))) : "";
    purse(ledger);
    target.replaceChildren(element("div", { class: "card" }, spentBar(ledger.spent.main, ledger.limit.main), list), inside,
      element("div", { class: "card" }, element("h2", {}, "History"), lines));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    target.replaceChildren(refusalBox(error.parts));
  }
}

function caption(ledger) {
  const all = `${counted(ledger.count, "line")}, each checked against its hash`;
  return ledger.count > ledger.lines.length ? `${all}; the latest ${ledger.lines.length} are shown` : all;
}

/** At the right of the head: what is left, in every view. */
function purse(ledger) {
  byId("purse").hidden = false;
  byId("purse-name").textContent = ledger.dataset || "budget";
  byId("purse-bar").replaceChildren(spentBar(ledger.spent.main, ledger.limit.main));
  byId("purse-sum").textContent = ledger.sums[0] ?? "";
}

/** A ledger that is being typed; one that is not there yet is no mistake. */
const peek = afterPause(400, async (path) => {
  try {
    purse(await ask("budget", { ledger: path }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    byId("purse").hidden = true;
  }
});

/** Open a ledger that another view has just written to. */
export function follow(path) {
  byId("ledger-path").value = path;
  return show();
}

export function start() {
  for (const [own, other] of [["ledger", "ledger-path"], ["ledger-path", "ledger"]])
    byId(own).addEventListener("input", () => { byId(other).value = byId(own).value; if (byId(own).value.trim()) peek(byId(own).value); });
  const [view, parts] = spoken();
  if (view === "budget" && parts.get("ledger")) follow(parts.get("ledger").slice(0, 4000));
  byId("ledger-form").addEventListener("submit", (event) => { event.preventDefault(); show(); });
}
