// Which curves can share an axis.

/** How many times the range of the curve that moves most an axis may span. */
const mostEmpty = 4;
/** Part of its size within which a curve stands still. */
const still = 1e-9;

function rangeOf(values) {
  let low = Infinity,
    high = -Infinity;
  for (const x of values) {
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return {low, high};
}

/**
 * Whether the motion of curves is seen on a common axis. Curves that stay far from each other leave each a straight line:
 * the height of a chassis, 0.5 m, beside the deflection of a spring, 0.02 m. Curves that stand still hide nothing.
 */
export function seenTogether(curves) {
  const ranges = curves.map(rangeOf).filter(({low, high}) => low <= high);
  if (ranges.length < 2) return true;
  const low = Math.min(...ranges.map((range) => range.low)),
    high = Math.max(...ranges.map((range) => range.high)),
    most = Math.max(...ranges.map((range) => range.high - range.low));
  return most <= still * Math.max(Math.abs(low), Math.abs(high)) || high - low <= mostEmpty * most;
}
