// Words to take along: to the clipboard, or shown where that is not allowed.
import { byId, element } from "./element.js";

export async function copy(words, target) {
  const said = byId(target);
  try {
    await navigator.clipboard.writeText(words);
    said.textContent = "Copied.";
  } catch {
    said.replaceChildren("Copy it from here: ", element("code", {}, words));
  }
}
