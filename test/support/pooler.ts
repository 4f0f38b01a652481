import { hasPgBouncer, keepsStatements, pgBouncerVersion, startPgBouncer } from './pgbouncer.ts'
import type { Pooled } from './pooled-environment.ts'

/** A service has more connections, so that its transactions share these. */
const poolSize = 5
const choices = ['pgbouncer', 'pgbouncer,listen']

/**
 * Starts the pooler that `TEST_POOLER` names, in front of a database server; null where it is not
 * set. With `pgbouncer,listen`, services listen at the server itself.
 *
 * @throws Error when the pooler is unknown or not installed, so that no run proves nothing.
 */
export async function startPooler(
  databaseUrl: string,
): Promise<{ pooled: Pooled; stop(): Promise<void> } | null> {
  const chosen = process.env['TEST_POOLER']
  if (!chosen) return null
  if (!choices.includes(chosen)) {
    throw new Error(`TEST_POOLER must be one of ${choices.join(' or ')}, not ${chosen}`)
  }
  if (!hasPgBouncer) {
    throw new Error(
      'TEST_POOLER needs PgBouncer, which is not installed: apt-get install pgbouncer, or PGBOUNCER=<path>',
    )
  }
  const { url, stop } = await startPgBouncer(databaseUrl, poolSize)
  const isListening = chosen === 'pgbouncer,listen'
  console.log(
    `services use PgBouncer ${pgBouncerVersion} in transaction mode with ${poolSize} connections, ` +
      `${keepsStatements ? 'with' : 'without'} prepared statements; they listen ` +
      `${isListening ? 'at the database' : 'through it, in vain'}`,
  )
  const [server, pooler] = [databaseUrl, url].map((one) => new URL(one).host)
  return { pooled: { server, pooler, keepsStatements, isListening } as Pooled, stop }
}
