// Pictures to take along: SVG with its colours written into it, or PNG drawn from that.
import { byId, element } from "./element.js";

const SAID = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "opacity", "font-size", "font-weight", "font-family"];

/** The picture as text that looks the same without this page's style. */
function asText(svg) {
  const made = svg.cloneNode(true);
  const { width, height } = svg.getBoundingClientRect();
  for (const [place, own] of [svg, ...svg.querySelectorAll("*")].entries()) {
    const target = place ? made.querySelectorAll("*")[place - 1] : made;
    const style = getComputedStyle(own);
    for (const name of SAID) target.setAttribute(name, style.getPropertyValue(name));
    target.removeAttribute("class");
  }
  made.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  Object.entries({ width: Math.round(width), height: Math.round(height) }).forEach(([name, value]) => made.setAttribute(name, value));
  return new XMLSerializer().serializeToString(made);
}

function save(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function asPng(svg) {
  const picture = new Image(), { width, height } = svg.getBoundingClientRect();
  const address = URL.createObjectURL(new Blob([asText(svg)], { type: "image/svg+xml" }));
  picture.src = address;
  await picture.decode();
  URL.revokeObjectURL(address);
  const canvas = element("canvas", { width: Math.round(2 * width), height: Math.round(2 * height) });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** Two small buttons below a picture. */
export function offer(id) {
  const svg = byId(id);
  const button = (kind, words, work) => element("button", { type: "button", class: "small", id: `${id}-${kind}`, "aria-label": `Save the picture “${svg.querySelector("title").textContent}” as ${words}`, onclick: work }, words);
  svg.closest("figure").append(element("p", { class: "row save" },
    button("svg", "SVG", () => save(new Blob([asText(svg)], { type: "image/svg+xml" }), `leastnoise-${id}.svg`)),
    button("png", "PNG", async () => save(await asPng(svg), `leastnoise-${id}.png`))));
}
