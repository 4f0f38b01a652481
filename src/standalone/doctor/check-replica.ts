import type { Config } from '../../platform/config/config.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { type Finding, fine, warning } from '../../service/doctor/finding.ts'
import type { OpenDatabase } from '../../service/persistence/open-database.ts'
import { openReplica } from '../../service/persistence/replica.ts'

/** Checks whether the configured replica is read. No findings where there is none. */
export async function checkReplica(
  primary: OpenDatabase,
  { database }: Pick<Config, 'database'>,
): Promise<Finding[]> {
  const { url, replicaUrl } = database
  if (url === null || replicaUrl === null) return []
  const replica = await openReplica({
    config: { ...database, replicaUrl },
    primary,
    logger: silentLogger,
    telemetry: null,
  })
  const { state, reason } = await replica.checked().finally(replica.close)
  if (state === 'ok') {
    return [fine('replica', 'reached; lists, the audit log and exports are read from it')]
  }
  return [
    warning(
      'replica',
      `not used, so the primary is read: ${reason}`,
      'check AUTH_DATABASE_REPLICA_URL, and the replication of the server behind it',
    ),
  ]
}
