/** Returns the candidate that is most similar to `name`; null if none is similar. */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  let nearest: string | null = null
  const written = name.toLowerCase()
  let least = Math.floor(name.length / 3) + 1
  for (const candidate of candidates) {
    const meant = candidate.toLowerCase()
    // The distance is at least the difference of the lengths. This skips comparing a megabyte,
    // which takes seconds.
    if (Math.abs(written.length - meant.length) >= least) continue
    const distance = editDistance(written, meant)
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}

/** Counts the letters to insert, remove, replace or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}
