// Numbers and words.

/** A number in so many significant digits, without idle zeros; a dash for none. */
export function figure(x, digits = 9) {
  if (x === null || x === undefined) return '–';
  if (typeof x !== 'number') return String(x);
  if (!Number.isFinite(x)) return Number.isNaN(x) ? 'not a number' : x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text =
    size >= 1e-4 && size < 1e7
      ? String(Number(x.toPrecision(digits)))
      : x
          .toExponential(digits - 1)
          .replace(/\.?0+e/, 'e')
          .replace('e+', 'e');
  return text.replaceAll('-', '−');
}

/** As many digits as tell this number from its neighbours, as CSV files have them. */
export const exactly = (x) => String(x);

export const words = (name) => name.replaceAll('_', ' ');

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties))
    if (key in made && !key.includes('-')) made[key] = value;
    else made.setAttribute(key, value);
  made.append(...children);
  return made;
}
