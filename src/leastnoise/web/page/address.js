// The address says what each view shows, so that a link leads back here.

const kept = {};

/** The name of the view in the address, and what it says of it. */
export function spoken() {
  const [view, query] = location.hash.slice(1).split("?");
  return [view, new URLSearchParams(query ?? "")];
}

/** What the address said when the page was opened, whatever the views have made of it since. */
export const opened = spoken();

/** Remember what a view shows; `parts` are names and texts. */
export function keep(view, parts) {
  kept[view] = String(new URLSearchParams(parts));
  if ((spoken()[0] || "choose") === view) write(view);
}

export function write(view) {
  history.replaceState(null, "", `#${view}${kept[view] ? `?${kept[view]}` : ""}`);
}
