/** The number of latest times per kind that are stored. */
const remembered = 15

/** The ratio to the usual time within which work may take longer without being noticeable. */
const margin = 1.25

/** The maximum delay of a response. */
const maxMs = 2000

/** The times that work takes, by its kind, so that the time of a response does not reveal the kind. */
export interface UsualTimes {
  isKnown(kind: string): boolean
  note(kind: string, ms: number): void
  /** Returns whether all work was of one kind, and so takes the same time. */
  areEqual(): boolean
  /** Returns the minimum time of a response: that of the slowest kind, with a margin. */
  leastMs(): number
}

export function createUsualTimes(): UsualTimes {
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
