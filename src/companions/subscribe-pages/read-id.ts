import type { H3Event } from 'h3'

/** The largest number that a row can have. */
export const maxId = 2_147_483_647

/** An id of decimal digits in the path; null for one that no row can have. */
export function readId({ context }: H3Event, name: 'id' | 'sessionId' | 'listId'): number | null {
  const id = Number(context.params?.[name])
  return Number.isSafeInteger(id) && id <= maxId ? id : null
}

/**
 * A whole number of the query, between two others. What is no number reads as 0, as clients of this interface know it.
 */
export function readNumber(
  { url }: H3Event,
  name: string,
  { absent, min, max }: { absent: number; min: number; max: number },
): number {
  const text = url.searchParams.getAll(name).at(-1)
  const value = text === undefined ? absent : /^[+-]?\d+$/.test(text) ? Number(text) : 0
  return Math.min(max, Math.max(min, value))
}
