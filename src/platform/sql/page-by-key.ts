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
  /** The name and the filters of the list: a cursor is valid for these only. */
  scope: CursorScope
  /** Returns the position of a row in the list. */
  positionOf(row: Row): CursorScope
  /** Returns the rows after a position; from the beginning for null. */
  find(limit: number, after: CursorScope | null): Promise<PageRow<Row>[]>
}

const maxLimit = 1_000

/**
 * Returns one page of a list, from the position of the last row before it. A far page costs as much
 * as a near one, and concurrent changes cause neither repeated nor missing rows. A page may be
 * shorter than its limit: see `maxPageBytes`.
 *
 * @throws AuthError `validation_failed` for a limit out of bounds, and for a cursor that was forged
 *   or belongs to another list.
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
  // A further row shows that there is a next page.
  const { items, isCut } = readPageRows(await find(limit + 1, after))
  const rows = items.slice(0, limit)
  const last = isCut || items.length > limit ? rows.at(-1) : undefined
  return {
    rows,
    nextCursor: last === undefined ? null : signCursor(roots, scope, positionOf(last)),
  }
}
