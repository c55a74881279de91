// The table of Sobol indices: which factor decides which quantity.
import {element} from './format.js';
import {factors, influence, quantities, sobolIndices} from './study-data.js';

const find = (id) => document.getElementById(id);

/** Rounding leaves no sign at zero. */
const decimals = (x, count) => x.toFixed(count).replace(/^-(0\.0*)$/, '$1').replace('-', '−');

/** A bar and its number, with the ends of its interval where there are some. */
function indexOf(value, low, high, what) {
  const text = low === undefined ? decimals(value, 2) : `${decimals(value, 3)} [${decimals(low, 3)}, ${decimals(high, 3)}]`;
  return element('div', {}, element('i', {className: 'indices-bar', style: `width:${Math.round(90 * Math.max(0, Math.min(1, value)))}px`}), what ? `${what} ${text}` : text);
}

function cellOf(factor, quantity) {
  const made = sobolIndices[quantities.indexOf(quantity)]?.factors[factors.indexOf(factor)];
  if (made) return [indexOf(...made.first, 'first'), indexOf(...made.total, 'total')];
  const index = influence(factor, quantity);
  return index === null ? ['–'] : [indexOf(index)];
}

/** What the caption says of how the indices were made. */
function captionOf() {
  const some = sobolIndices.find(({factors: made}) => made.length > 0);
  if (some)
    return (
      'Sobol indices with their 95 % intervals. First: the share of a quantity’s variance that goes with the factor alone. ' +
      'Total: with all that it does together with others. ' +
      sobolIndices.map(({samples, left_out: out, why_not: why}, q) => `${quantities[q].name}: ${why || `${samples} samples${out ? `, ${out} left out for a case without a number` : ''}`}.`).join(' ')
    );
  const reasons = [...new Set(sobolIndices.map(({why_not: why}) => why).filter((why) => why))];
  return (
    'First-order Sobol indices: the share of a quantity’s variance that goes with each factor alone, estimated from these ' +
    `cases. What is missing to 1 is the work of factors together. No total indices: ${reasons.join('; ')}.`
  );
}

export function setUpInfluence() {
  const varied = factors.filter((factor) => new Set(factor.values).size > 1);
  find('influence').hidden = varied.length === 0 || quantities.length === 0;
  if (find('influence').hidden) return;
  const head = element('tr', {}, element('th', {textContent: 'factor'}), ...quantities.map((q) => element('th', {textContent: q.name})));
  const rows = varied.map((factor) =>
    element('tr', {}, element('th', {textContent: factor.name}), ...quantities.map((quantity) => element('td', {className: 'figures', style: 'text-align:left'}, ...cellOf(factor, quantity)))),
  );
  find('indices').append(element('table', {}, element('caption', {textContent: captionOf()}), element('thead', {}, head), element('tbody', {}, ...rows)));
}
