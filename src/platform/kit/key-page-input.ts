/** The requested page of a list. */
export interface KeyPageInput {
  /** From 1 to 1,000. Default 50. */
  limit?: number | undefined
  /** `nextCursor` of the previous page, for the same list and filters. Default: the beginning. */
  cursor?: string | null | undefined
}
