/**
 * Returns a sentence for a file that a URL names and that cannot be read; null for other errors.
 * The driver reads such files for each connection. Sockets are read, too, but are not opened.
 */
export function describeUnreadableFile(error: unknown): string | null {
  const { syscall, path, code }: NodeJS.ErrnoException = Object(error)
  if (syscall !== 'open' && code !== 'EISDIR') return null
  const name = path ? ` ${path}` : ''
  return `The file${name} that the URL of the database names cannot be read (${code}). Correct sslrootcert, sslcert or sslkey in the URL`
}
