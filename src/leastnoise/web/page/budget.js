// The fourth view: a ledger's lines and what is left.
import { Refused, ask } from "./ask.js";
import { byId, element, facts, refusalBox, table } from "./element.js";
import { spentBar } from "./picture.js";

async function show() {
  const target = byId("ledger-answer");
  try {
    const ledger = await ask("budget", { ledger: byId("ledger-path").value });
    const list = element("dl", { class: "facts" });
    facts(list, [
      ...(ledger.dataset ? [["Data", ledger.dataset]] : []),
      ["Whole budget", ledger.total.text],
      ...(ledger.limit.text !== ledger.total.text ? [["Limit of what adds up", ledger.limit.text]] : []),
      ["Spent", ledger.spent.text],
      ["Left", ledger.remaining.text],
      ["Seal", element("code", {}, ledger.seal)],
    ]);
    const lines = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Lines of the ledger" }, table(caption(ledger), [
      ["Line", (row) => String(row.number), true],
      ["Time (UTC)", (row) => row.time.slice(0, 19).replace("T", " ")],
      ["Price", (row) => row.price],
      ["Purpose", (row) => row.purpose],
      ["Labels", (row) => Object.entries(row.labels).map(([name, value]) => `${name}: ${value}`).join(", ")],
    ], ledger.lines.toReversed()));
    const inside = ledger.balances.length > 1 ? element("div", { class: "card" }, element("h2", {}, "Budgets inside it"),
      element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Budgets inside the total" }, table(null, [
        ["For", (row) => row.name], ["Promise", (row) => row.promise], ["Limit", (row) => row.limits], ["Spent", (row) => row.spent], ["Left", (row) => row.remaining],
      ], ledger.balances))) : "";
    target.replaceChildren(element("div", { class: "card" }, spentBar(ledger.spent.main, ledger.limit.main), list), inside,
      element("div", { class: "card" }, element("h2", {}, "History"), lines));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    target.replaceChildren(refusalBox(error.parts));
  }
}

function caption(ledger) {
  const all = `${ledger.count} lines, each checked against its hash`;
  return ledger.count > ledger.lines.length ? `${all}; the latest ${ledger.lines.length} are shown` : all;
}

/** Open a ledger that another view has just written to. */
export function follow(path) {
  byId("ledger-path").value = path;
  show();
}

export function start() {
  byId("ledger-form").addEventListener("submit", (event) => { event.preventDefault(); show(); });
}
