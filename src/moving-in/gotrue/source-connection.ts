/** A connection to the database of the other service, inside a transaction that only reads. */
export interface SourceConnection {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}
