/**
 * A page of a list takes so much of the process's memory, and several times that until it is answered:
 * 4,000 users without metadata, or 300 with as much as they may have.
 */
export const maxPageBytes = 4 * 1_048_576

/** A row of a page, and whether the page was cut behind it. */
export interface PageRow<Item> {
  item: Item
  is_cut: boolean
}

/**
 * A statement for the first rows of another one, in its order, that are no more than `maxPageBytes`
 * together; one row at least. What is too much stays with PostgreSQL.
 *
 * @param text selects one JSON value a row, as `item`.
 */
export const withinPageBytes = (text: string): string => `
  select item, place, bytes < all_bytes as is_cut from (
    select item, place, sum(octet_length(item::text)) over (order by place) as bytes,
      sum(octet_length(item::text)) over () as all_bytes
    from (select item, row_number() over () as place from (${text}) listed) placed
  ) measured
  where bytes <= ${maxPageBytes} or place = 1 order by place`

/** The items of a page, and whether there are more of them than fit. */
export const readPageRows = <Item>(rows: readonly PageRow<Item>[]) => ({
  items: rows.map(({ item }) => item),
  isCut: rows.at(-1)?.is_cut ?? false,
})
