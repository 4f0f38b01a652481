/** A connection to the database of the other service, inside a transaction that only reads. */
export interface SourceConnection {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** The database of the other service cannot be read, or holds what cannot be understood. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}
