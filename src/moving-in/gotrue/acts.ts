/** What was done to users in a transaction: the log is told of it once that is committed. */
export interface Act {
  log(): void
}
