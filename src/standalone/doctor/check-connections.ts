import { type Finding, fine, warning } from '../../service/doctor/finding.ts'
import { type ConnectionRoom, roomIn, shareOf } from '../../service/persistence/connection-room.ts'
import type { OpenDatabase } from '../../service/persistence/open-database.ts'
import { uncountedCeiling } from '../../service/persistence/patient-pool.ts'

/**
 * Checks how many connections `latchkey serve` may open, and how many are open. No findings for an
 * embedded database.
 */
export async function checkConnections(
  database: Pick<OpenDatabase, 'countConnections'>,
  maxPoolSize: number,
): Promise<Finding[]> {
  const room = await database.countConnections?.()
  return room ? [assessConnections(room, maxPoolSize)] : []
}

/** @param maxPoolSize 0 for no fixed limit. */
export function assessConnections(room: ConnectionRoom, maxPoolSize: number): Finding {
  if (room.isPooled) {
    const most = maxPoolSize || uncountedCeiling
    return fine(
      'connections',
      `a pooler hides the connections of other applications; each process opens ${most} at most`,
    )
  }
  const [bound] = room.bounds
  const { of, most, used } = bound
  const counted = `${used} of ${most} connections of the ${of} are open`
  const share = shareOf(bound)
  if (roomIn(bound) < 0) {
    return warning(
      'connections',
      `${counted}: without AUTH_DB_MAX_POOL_SIZE each process opens only one, since less than a fifth is free`,
      'close connections of other applications, or raise the limit',
    )
  }
  if (maxPoolSize > share) {
    return warning(
      'connections',
      `${counted}, and AUTH_DB_MAX_POOL_SIZE is ${maxPoolSize}: other applications may get no connection`,
      `lower it to ${share} or less, or set 0: the pool then leaves the last fifth to them`,
    )
  }
  return fine(
    'connections',
    maxPoolSize > 0
      ? `${counted}; each process opens ${maxPoolSize} at most`
      : `${counted}; no more are opened once ${share} are`,
  )
}
