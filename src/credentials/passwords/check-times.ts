/** Of so many checks of a kind of hash it is remembered how long they took. */
const remembered = 15

/** By how much more than usual a check may take, and is still answered when all others are. */
const margin = 1.25

/** No answer is held back for longer, whatever hashes are stored. */
const maxMs = 2000

/** How long it takes to check passwords, by the kind of hash that they are checked against. */
export interface CheckTimes {
  isKnown(kind: string): boolean
  note(kind: string, ms: number): void
  /** Whether all hashes are of one kind, and take the same time by themselves. */
  areEqual(): boolean
  /** How long a check takes that fails, at the least: none is over sooner than one of the slowest kind. */
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
