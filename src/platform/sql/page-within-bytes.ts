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
export const readPageRows = <Item>(rows: readonly PageRow<Item>[]) => ({
  items: rows.map(({ item }) => item),
  isCut: rows.at(-1)?.is_cut ?? false,
})
