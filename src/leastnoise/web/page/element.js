// Small pieces of page, always made from text, never from markup: what a file or a person says
// cannot become code.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; text children become text nodes. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same, for pictures. */
export function shape(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const byId = (id) => document.getElementById(id);

/** A table; `columns` are [heading, row => cell, isNumber]. */
export function table(caption, columns, rows) {
  const kind = (number) => (number ? { class: "number" } : {});
  return element("table", {},
    caption ? element("caption", {}, caption) : null,
    element("thead", {}, element("tr", {}, ...columns.map(([heading, , number]) =>
      element("th", { scope: "col", ...kind(number) }, heading)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...columns.map(([, cell, number]) =>
      element("td", kind(number), cell(row)))))));
}

/** Words in which `code` is set as such. */
export const coded = (words) => words.split("`").map((part, place) => (place % 2 ? element("code", {}, part) : part));

/** A list of names and values. */
export function facts(target, pairs) {
  target.replaceChildren(...pairs.flatMap(([name, value]) =>
    [element("dt", {}, name), element("dd", {}, value)]));
}

/** A refusal of the library: rule, finding, remedy. */
export function refusalBox(refused) {
  const finding = refused.finding ? [element("p", { class: "finding" }, `Found: ${refused.finding}.`)] : [];
  const remedy = refused.remedy ? [element("p", { class: "remedy" }, refused.remedy)] : [];
  return element("div", { class: "refused", role: "alert" },
    element("p", { class: "rule" }, sentence(refused.rule)), ...finding, ...remedy);
}

function sentence(text) {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
