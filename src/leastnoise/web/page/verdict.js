// What a promise means in a sentence: how far off answers are, and how often a guess is right.
import { element } from "./element.js";
import { atMost } from "./words.js";

const GRADES = [["A", 0.05, "reliable"], ["B", 0.15, "good"], ["C", 0.25, "use with care"], ["D", Infinity, "do not rely on"]];

/** `about` is the count that is expected, 0 if nobody said. */
export function sayError(target, error95, about, each) {
  const share = about ? ` (${atMost((100 * error95) / about, 2)}\u00a0%)` : " ";
  const what = about ? `your count of about ${about.toLocaleString("en")}` : each;
  target.replaceChildren(`Noise will move ${what} by at most `, element("strong", {}, `±${atMost(error95)}`), `${share} in 95 of 100 releases.`);
}

/** The same of a question of the plan; `exact` if it was worked out for this very promise. */
export function sayForecast(target, row, error95, exact) {
  const of = row.about ? ` of about ${row.about.toLocaleString("en")}` : "";
  const share = row.about ? ` (${atMost((100 * error95) / row.about, 2)}\u00a0%)` : "";
  target.replaceChildren(`Noise will move your ${row.question}${of} by ${exact ? "at most" : "about"} `, element("strong", {}, `±${atMost(error95, 2)}${row.unit}`), `${share} in 95 of 100 releases.`);
}

export const rightWords = (right) => `Someone who wonders whether a person is in the data will be right at most ${right} times in 100; a coin toss is right 50 times.`;

export function showGrade(target, share) {
  const [letter, , words] = share === null ? [""] : GRADES.find(([, most]) => share <= most);
  Object.assign(target, { textContent: letter, title: words ?? "", hidden: !letter, className: `grade grade-${letter}` });
  if (words) target.append(element("span", { class: "unseen" }, ` grade: ${words}`));
}

export function showWeakness(target, epsilon) {
  const words = epsilon >= 10 ? "This promises next to nothing: a guess can be right almost always."
    : epsilon >= 5 ? "This is weak: from ε = 5 on the promise alone protects a single person little." : "";
  target.textContent = words;
  target.hidden = !words;
}
