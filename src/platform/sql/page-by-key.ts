import { validationFailed } from '../errors/request-errors.ts'
import type { RootKeys } from '../kit/derived-keys.ts'
import type { KeyPageInput } from '../kit/key-page-input.ts'
import { type CursorScope, readCursor, signCursor } from '../kit/signed-cursor.ts'
import { type PageRow, readPageRows } from './page-within-bytes.ts'

export interface KeyPage<Row> {
  rows: Row[]
  nextCursor: string | null
}

interface List<Row> {
  /** The name of the list and what is asked of it: a cursor is good for nothing else. */
  scope: CursorScope
  /** What tells where in the list a row is. */
  positionOf(row: Row): CursorScope
  /** The rows behind a position; from the beginning for null. */
  find(limit: number, after: CursorScope | null): Promise<PageRow<Row>[]>
}

const maxLimit = 1_000

/**
 * One page of a list that goes on behind the last row seen, so that a far page costs as much as a near
 * one, and nothing is seen twice or missed when rows come and go meanwhile. A page may be shorter than its
 * limit: see `maxPageBytes`.
 *
 * @throws AuthError `validation_failed` for a limit out of bounds, and for a cursor of somebody else's
 *   making or of another question.
 */
export async function pageByKey<Row>(
  { roots }: { roots: RootKeys },
  { limit = 50, cursor }: KeyPageInput,
  { scope, positionOf, find }: List<Row>,
): Promise<KeyPage<Row>> {
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw validationFailed(`limit: has to be from 1 to ${maxLimit}`)
  }
  const after = cursor ? readCursor(roots, scope, cursor) : null
  if (cursor && !after) throw validationFailed('cursor: belongs to another list')
  // One more tells whether there is a next page.
  const { items, isCut } = readPageRows(await find(limit + 1, after))
  const rows = items.slice(0, limit)
  const last = isCut || items.length > limit ? rows.at(-1) : undefined
  return {
    rows,
    nextCursor: last === undefined ? null : signCursor(roots, scope, positionOf(last)),
  }
}
