// Fields: what people typed, and what is wrong with it, told where it stands.
import { byId, element } from "./element.js";

/** A number with a decimal comma, as most of Europe writes it, with a point; 1,000 stays. */
export const plain = (text) => (/^[+-]?\d{1,9},(?!\d{3}$)\d{1,20}$/.test(text.trim()) ? text.trim().replace(",", ".") : text.trim());

export function clearMarks() {
  document.querySelectorAll(".problem").forEach((each) => each.remove());
  document.querySelectorAll("[aria-invalid]").forEach((each) => { each.removeAttribute("aria-invalid"); each.removeAttribute("aria-describedby"); });
}

/** Say below a field what is wrong with it. */
export function mark(field, words) {
  const id = `${field.id}-problem`;
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", id);
  field.after(element("p", { class: "problem", id }, words));
}

const PLACES = {
  path: "path", unit: "unit", ledger: "ledger", epsilon: "spend-epsilon", delta: "spend-delta", spend: "spend-epsilon", total: "total-epsilon",
  max_groups: "max-groups", max_rows: "max-rows", most_rows: "most-rows", purpose: "purpose",
};

/** The field that a refusal speaks of: by the number of the question and the name in backticks. */
export function spokenOf({ rule, finding }) {
  const number = /question (?:number )?(\d+)/.exec(rule)?.[1];
  const names = [...`${rule} ${finding}`.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name);
  const boxes = [...document.querySelectorAll(".question")];
  const box = number ? boxes[Number(number) - 1] : null;
  for (const name of names) {
    const found = box?.querySelector(`[data-part="${name}"]`) ?? (PLACES[name] ? byId(PLACES[name]) : null);
    if (found && !found.hidden) return found;
  }
  if (/whole budget/.test(rule)) return byId("total-epsilon");
  return box?.querySelector("[data-part=kind]") ?? null;
}
