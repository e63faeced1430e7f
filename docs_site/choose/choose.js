// The first view of the explorer, on answers that were stored when the site was built.

const DELTA_WORDS = { 0: "0", "1e-10": "10⁻¹⁰", "1e-8": "10⁻⁸", "1e-6": "10⁻⁶", "1e-4": "10⁻⁴" };
const own = (name) => byId(`choose-${name}`);

function expected() {
  const typed = own("about").value.replace(/[\s,'’]/g, "");
  return /^\d+$/.test(typed) ? Number(typed) : 0;
}

function offerSensitivities() {
  const delta = own("delta").value, before = own("sensitivity").value;
  const found = Object.keys(STORED.errors).filter((name) => name.split(" ")[0] === delta).map((name) => name.split(" ")[1]);
  own("sensitivity").replaceChildren(...found.map((value) => element("option", { value, selected: value === before }, value)));
}

function show() {
  const place = Number(own("epsilon").value), delta = own("delta").value;
  const errors = STORED.errors[`${delta} ${own("sensitivity").value}`], right = STORED.right[delta][place];
  const epsilon = Number(STORED.epsilons[place]), error95 = errors[place], count = expected();
  own("epsilon-said").textContent = STORED.epsilons[place];
  own("epsilon").setAttribute("aria-valuetext", STORED.epsilons[place]);
  sayError(own("error"), error95, count, "the answer");
  showGrade(own("grade"), count ? error95 / count : null);
  own("right").textContent = rightWords(right);
  showWeakness(own("weak"), epsilon);
  const points = STORED.epsilons.map((text, at) => ({ epsilon: Number(text), error95: errors[at] })).filter((point) => point.epsilon >= 0.1);
  drawCurve(own("curve"), points, { epsilon, error95 }, count);
  drawAttack(own("attack"), epsilon, Number(delta), right);
  drawKnown(own("known"), epsilon);
}

function begin() {
  own("epsilon").max = STORED.epsilons.length - 1;
  const nearest = STORED.epsilons.reduce((best, text, place) => (Math.abs(Math.log(text)) < Math.abs(Math.log(STORED.epsilons[best])) ? place : best), 0);
  own("epsilon").value = nearest;
  own("delta").replaceChildren(...Object.keys(STORED.right).sort((one, other) => Number(one) - Number(other)).map((value) => element("option", { value }, DELTA_WORDS[value])));
  offerSensitivities();
  own("delta").addEventListener("change", () => { offerSensitivities(); show(); });
  for (const name of ["epsilon", "sensitivity", "about"]) own(name).addEventListener("input", show);
  own("sources").replaceChildren(...knownSources().map((words) => element("li", {}, words)));
  new ResizeObserver(show).observe(own("curve"));
}

if (own("epsilon")) begin();
