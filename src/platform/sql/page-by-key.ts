import { validationFailed } from '../errors/request-errors.ts'
import type { RootKeys } from '../kit/derived-keys.ts'
import type { KeyPageInput } from '../kit/key-page-input.ts'
import { type CursorScope, readCursor, signCursor } from '../kit/signed-cursor.ts'

interface KeyPage<Row> {
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

/**
 * The maximum size of a page in memory; while it is serialized it uses several times as much. It
 * fits 4,000 users without metadata, or 300 with the maximum.
 */
export const maxPageBytes = 4 * 1_048_576

/** A row of a page, and whether the page was truncated after it. */
export interface PageRow<Item> {
  item: Item
  is_cut: boolean
}

/**
 * Returns a statement for the first rows of another one, in its order, up to `maxPageBytes` in
 * total; at least one row. PostgreSQL does not send the rest.
 *
 * @param text selects one JSON value per row, as `item`.
 */
export const withinPageBytes = (text: string): string => `
  select item, place, bytes < all_bytes as is_cut from (
    select item, place, sum(octet_length(item::text)) over (order by place) as bytes,
      sum(octet_length(item::text)) over () as all_bytes
    from (select item, row_number() over () as place from (${text}) listed) placed
  ) measured
  where bytes <= ${maxPageBytes} or place = 1 order by place`

/** Returns the items of a page, and whether more exist than fit. */
const readPageRows = <Item>(rows: readonly PageRow<Item>[]) => ({
  items: rows.map(({ item }) => item),
  isCut: rows.at(-1)?.is_cut ?? false,
})
