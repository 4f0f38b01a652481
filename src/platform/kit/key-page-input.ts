/** Which part of a list is asked for. */
export interface KeyPageInput {
  /** From 1 to 1,000. Default 50. */
  limit?: number | undefined
  /** What the page before named as `nextCursor`, for the same question. Default: the beginning. */
  cursor?: string | null | undefined
}
