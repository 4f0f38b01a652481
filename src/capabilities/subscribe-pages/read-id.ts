import type { H3Event } from 'h3'

/** The maximum of an integer column. */
export const maxId = 2_147_483_647

/** Reads an id of the path; null for a number above the maximum of a row. */
export function readId({ context }: H3Event, name: 'id' | 'sessionId' | 'listId'): number | null {
  const id = Number(context.params?.[name])
  return Number.isSafeInteger(id) && id <= maxId ? id : null
}

/**
 * Reads an integer of the query, and limits it to a range. Other text is read as 0, which clients
 * of this interface rely on.
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
