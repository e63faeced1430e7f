// Numbers for people.

/** A number with few digits. */
export function short(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(Math.max(0, digits - 1)).replace("e+", "e");
  const rounded = Number(value.toPrecision(size >= 100 ? Math.max(digits, Math.floor(Math.log10(size)) + 1) : digits));
  return rounded.toLocaleString("en", { maximumFractionDigits: 8 });
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
