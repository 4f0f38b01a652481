/**
 * Deletes at most this number of rows.
 *
 * @returns the number of deleted rows, and whether there may be more; after a plain number, there
 *   may be more where it equals the limit.
 */
export type Sweep = (limit: number) => Promise<number | { deleted: number; hasMore: boolean }>
