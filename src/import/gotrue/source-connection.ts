/** A connection to the GoTrue database, in a read-only transaction. */
export interface SourceConnection {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** The GoTrue database cannot be read, or contains invalid data. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}
