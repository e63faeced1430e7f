// A slider beside a field for exact values; the two say the same.
import { byId } from "./element.js";

/** Values from `low` to `high` at even ratios, rounded to three digits. */
export function ratios(low, high, count) {
  const factor = (high / low) ** (1 / (count - 1));
  return Array.from({ length: count }, (_, place) => String(Number((low * factor ** place).toPrecision(3))));
}

export class Dial {
  #slider;
  #exact;
  #values;

  constructor(id, values, start, changed) {
    this.#slider = byId(id);
    this.#exact = byId(`${id}-exact`);
    this.#values = values;
    Object.assign(this.#slider, { min: 0, max: values.length - 1, step: 1 });
    this.#slider.addEventListener("input", () => {
      this.#exact.value = values[this.#slider.value];
      this.#tell();
      changed();
    });
    this.#exact.addEventListener("input", () => {
      this.#slide();
      changed();
    });
    this.value = start;
  }

  get value() {
    return this.#exact.value.trim();
  }

  set value(text) {
    this.#exact.value = text;
    this.#slide();
  }

  #slide() {
    const wanted = Number(this.#exact.value.replace(",", "."));
    if (!Number.isFinite(wanted)) return;
    const distance = (text) => Math.abs(Math.log((Number(text) || 1e-20) / (wanted || 1e-20)));
    const nearest = this.#values.reduce((best, text, place) => (distance(text) < distance(this.#values[best]) ? place : best), 0);
    this.#slider.value = nearest;
    this.#tell();
  }

  #tell() {
    this.#slider.setAttribute("aria-valuetext", this.#exact.value);
  }
}
