/**
 * Deletes so many rows at most.
 *
 * @returns how many were deleted, and whether there may be more; a number alone leaves more where it is the limit.
 */
export type Sweep = (limit: number) => Promise<number | { deleted: number; hasMore: boolean }>
