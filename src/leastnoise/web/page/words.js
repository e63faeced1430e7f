// Numbers for people.
import { element } from "./element.js";

/** A number with few digits. */
export function short(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e9 || size < 1e-3) return powers(value.toExponential(Math.max(0, digits - 1)));
  const rounded = Number(value.toPrecision(size >= 100 ? Math.max(digits, Math.floor(Math.log10(size)) + 1) : digits));
  return rounded.toLocaleString("en", { maximumFractionDigits: 8 });
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** 1e-8 as 10⁻⁸, 3.2e-5 as 3.2·10⁻⁵; what is no such number stays. */
export function powers(text) {
  const found = /^([+-]?\d+(?:\.\d+)?)e([+-]?)0*(\d+)$/i.exec(text.trim());
  if (!found) return text;
  const [, front, sign, digits] = found, few = front.includes(".") ? front.replace(/\.?0+$/, "") : front;
  return `${few === "1" ? "" : `${few}·`}10${sign === "-" ? "⁻" : ""}${[...digits].map((each) => RAISED[each]).join("")}`;
}

/** Rounded up, for bounds. */
export function atMost(value, digits = 3) {
  if (!value) return short(value, digits);
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
  return short(Math.ceil(value / unit - 1e-9) * unit, digits);
}

export const times = (ratio) => (ratio >= 1e5 ? `${short(ratio, 2)} ×` : `${ratio.toFixed(ratio < 9.995 ? 2 : 1)} ×`);

/** "1 answer", "2 answers". */
export const counted = (count, one) => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;

/** A size of a file, rounded up. */
export const bytes = (count) => { const [unit, name] = [[2 ** 30, "GB"], [2 ** 20, "MB"], [2 ** 10, "kB"]].find(([size]) => count >= size) ?? [1, "bytes"]; return `${atMost(count / unit, 2)}\u00a0${name}`; };

/** About so much: few digits, whatever the size. */
export const roughly = (value, digits = 2) => short(Number(value.toPrecision(digits)), digits);

const WORDS_OF = { A: "reliable", B: "good", C: "use with care", D: "do not rely on" };

/** A grade as a mark with its words. */
export const chip = (letter) => (letter ? element("span", { class: `grade grade-${letter}`, title: WORDS_OF[letter] }, letter, element("span", { class: "unseen" }, ` grade: ${WORDS_OF[letter]}`)) : "–");
