/** The database of the other service cannot be read, or holds what cannot be understood. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}
