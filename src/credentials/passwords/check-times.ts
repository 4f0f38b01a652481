/** The number of comparisons per kind of hash whose times are stored. */
const remembered = 15

/**
 * The ratio to the usual time within which a comparison may take longer without being noticeable.
 */
const margin = 1.25

/** The maximum delay of a response, whatever hashes are stored. */
const maxMs = 2000

/** The time that comparisons take, by the kind of hash. */
interface CheckTimes {
  isKnown(kind: string): boolean
  note(kind: string, ms: number): void
  /** Returns whether all hashes are of one kind, and so take the same time. */
  areEqual(): boolean
  /** Returns the minimum time of a failed comparison: that of the slowest kind. */
  leastMs(): number
}

export function createCheckTimes(): CheckTimes {
  const times = new Map<string, number[]>()
  const areEqual = () => times.size < 2
  return {
    areEqual,
    isKnown: (kind) => times.has(kind),
    note: (kind, ms) => void times.set(kind, [...(times.get(kind) ?? []), ms].slice(-remembered)),
    leastMs: () =>
      areEqual() ? 0 : Math.min(maxMs, margin * Math.max(...[...times.values()].map(median))),
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
