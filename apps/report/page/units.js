// Units of formulas: products of powers, as "kg m/s^2".

/** Powers by name; null for what is no such product ("m or rad"). */
export function parseUnit(text) {
  const powers = new Map();
  if (text === '' || text === '1') return powers;
  if (/\bor\b/.test(text)) return null;
  let sign = 1;
  for (const [, operator, name, power] of text.matchAll(/([/*·\s]*)([^\s/*·^]+)(?:\^(-?[\d.]+))?/g)) {
    if (operator.includes('/')) sign = -1;
    else if (operator.trim() !== '') sign = 1;
    if (name === '1') continue;
    powers.set(name, (powers.get(name) ?? 0) + sign * Number(power ?? 1));
    if (operator.includes('/')) sign = -1;
  }
  return clean(powers);
}

const clean = (powers) => new Map([...powers].filter(([, power]) => Math.abs(power) > 1e-9));

export function multiply(a, b, sign = 1) {
  if (!a || !b) return null;
  const powers = new Map(a);
  for (const [name, power] of b) powers.set(name, (powers.get(name) ?? 0) + sign * power);
  return clean(powers);
}

export const raise = (a, power) => a && clean(new Map([...a].map(([name, p]) => [name, p * power])));

export const sameUnit = (a, b) =>
  Boolean(a && b && a.size === b.size && [...a].every(([name, power]) => Math.abs((b.get(name) ?? 0) - power) < 1e-9));

export function unitText(powers) {
  if (!powers || powers.size === 0) return '';
  const one = ([name, power]) => (power === 1 ? name : `${name}^${Number(power.toFixed(6))}`);
  const up = [...powers].filter(([, power]) => power > 0).map(one),
    down = [...powers].filter(([, power]) => power < 0).map(([name, power]) => one([name, -power]));
  if (down.length === 0) return up.join(' ');
  return `${up.join(' ') || '1'}/${down.length > 1 ? `(${down.join(' ')})` : down[0]}`;
}
