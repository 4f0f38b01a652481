/** Returns the median of some numbers; of an even count, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted(ascending)
  const middle = sorted.length / 2
  return (at(sorted, Math.ceil(middle) - 1) + at(sorted, Math.floor(middle))) / 2
}

/** Returns the lowest value that at least this share of the values does not exceed. */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export interface Interval {
  low: number
  high: number
}

/**
 * Returns how far one sample lies above another: the median of all differences, with its 99 %
 * interval.
 *
 * @see Hodges and Lehmann, "Estimates of Location Based on Rank Tests" (1963); the interval inverts
 *   the Mann–Whitney test, in its normal approximation.
 */
export function shiftBetween(
  sample: readonly number[],
  reference: readonly number[],
): Interval & { estimate: number } {
  const differences = Float64Array.from(
    sample.flatMap((value) => reference.map((other) => value - other)),
  ).sort()
  const pairs = differences.length
  const spread = Math.sqrt((pairs * (sample.length + reference.length + 1)) / 12)
  const cut = Math.max(0, Math.floor(pairs / 2 - quantile99 * spread))
  return {
    estimate: median([...differences]),
    low: at(differences, cut),
    high: at(differences, pairs - 1 - cut),
  }
}

/** The two-sided 99 % quantile of the normal distribution. */
const quantile99 = 2.5758

const ascending = (a: number, b: number): number => a - b

const at = (values: ArrayLike<number>, index: number): number => values[index] ?? Number.NaN
