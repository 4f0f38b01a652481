import pg from 'pg'

/** Server and database of a URL, without its user and password. */
export interface DatabasePlace {
  /** Host and port, or the file of a socket. */
  server: string
  database: string
}

/**
 * Returns the place of a database. `pg` resolves the variables of its environment, too. This opens
 * no connection and reads no file.
 *
 * @throws Error if the URL is invalid.
 */
export function databasePlaceOf(url: string): DatabasePlace {
  const { host, port, database = '' } = new pg.Client({ connectionString: withoutTls(url) })
  // A path is the folder of a socket.
  const server = host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`
  return { server, database }
}

/** The driver reads the files that these parameters name at once, and requires some together. */
const isOfTls = (name: string): boolean => name.startsWith('ssl') || name === 'uselibpqcompat'

function withoutTls(url: string): string {
  const queryAt = url.indexOf('?')
  if (queryAt === -1) return url
  const parameters = new URLSearchParams(url.slice(queryAt))
  for (const name of [...parameters.keys()]) if (isOfTls(name)) parameters.delete(name)
  return `${url.slice(0, queryAt)}?${parameters}`
}
