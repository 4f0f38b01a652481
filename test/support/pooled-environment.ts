/** A pooler in front of a database server, as data: vitest passes it to the processes of tests. */
export interface Pooled {
  /** The host and port of the database server. */
  server: string
  /** The host and port of the pooler. */
  pooler: string
  keepsStatements: boolean
  /** Whether services listen for notifications at the database server itself. */
  isListening: boolean
}

/** Returns the URL of a database through the pooler; unchanged for databases of other servers. */
export function pooledUrl(pooled: Pooled | null, databaseUrl: string): string {
  const url = new URL(databaseUrl)
  if (url.host !== pooled?.server) return databaseUrl
  url.host = pooled.pooler
  return url.href
}

/** Returns the settings of a service on a database: through the pooler, if its server has one. */
export function pooledEnvironment(
  pooled: Pooled | null,
  databaseUrl: string,
): Record<string, string> {
  const { url, listenUrl } = pooledConfig(pooled, databaseUrl)
  return {
    AUTH_DATABASE_URL: url,
    ...(listenUrl && { AUTH_DATABASE_LISTEN_URL: listenUrl }),
    // Also where a test has a proxy between service and pooler.
    ...(pooled && !pooled.keepsStatements && { AUTH_DB_PREPARED_STATEMENTS: 'false' }),
  }
}

/** Returns the same as options of `createAuth`. */
export function pooledConfig(pooled: Pooled | null, databaseUrl: string) {
  const url = pooledUrl(pooled, databaseUrl)
  if (url === databaseUrl) return { url }
  return {
    url,
    ...(pooled?.isListening && { listenUrl: databaseUrl }),
    ...(pooled && { preparedStatements: pooled.keepsStatements }),
  }
}
