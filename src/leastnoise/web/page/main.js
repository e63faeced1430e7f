// The views behind their tabs; the address remembers which one is open.
import { spoken, write } from "./address.js";
import { open as openBounds, start as startBounds } from "./bounds.js";
import { start as startBudget } from "./budget.js";
import { start as startChoose } from "./choose.js";
import { byId } from "./element.js";
import { open as openPlan, start as startPlan } from "./plan.js";
import { start as startRelease } from "./release.js";
import { start as startSteps } from "./steps.js";

const VIEWS = ["choose", "bounds", "plan", "release", "budget"];
const tab = (view) => byId(`tab-${view}`);

function open(view, { focus = false } = {}) {
  for (const each of VIEWS) {
    const chosen = each === view;
    byId(each).hidden = !chosen;
    tab(each).setAttribute("aria-selected", String(chosen));
    tab(each).tabIndex = chosen ? 0 : -1;
  }
  if (focus) tab(view).focus();
  if (view === "bounds") openBounds();
  if (view === "plan") openPlan();
}

function go(view, focus) {
  write(view);
  open(view, { focus });
}

function keys(event) {
  const place = VIEWS.findIndex((view) => tab(view) === event.target);
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const target = event.key === "Home" ? 0 : event.key === "End" ? VIEWS.length - 1
    : step && (place + step + VIEWS.length) % VIEWS.length;
  if (place < 0 || target === undefined) return;
  event.preventDefault();
  go(VIEWS[target], true);
}

function named() {
  const [view] = spoken();
  return VIEWS.includes(view) ? view : VIEWS[0];
}

for (const view of VIEWS) {
  tab(view).addEventListener("click", () => go(view, false));
  tab(view).addEventListener("keydown", keys);
}
addEventListener("hashchange", () => open(named()));
startChoose();
startBounds();
startPlan();
startRelease();
startBudget();
startSteps();
open(named());
