import { readFileSync } from 'node:fs'
import { type Finding, warning } from '../../service/doctor/finding.ts'

/** The file descriptors of a process that are not for connections of clients, at least. */
const reserved = 64
/** The part of the others that is for connections of clients. The rest is for outgoing ones. */
const partOfClients = 3 / 4

/**
 * Returns the number of files that this process may have open. Null where the system does not
 * report it.
 */
function openFilesLimit(): number | null {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/**
 * Returns the number of connections that a process accepts: the setting, or less where the file
 * descriptors do not suffice for it. A process without descriptors accepts no connection and
 * reaches no database.
 *
 * @param max the setting; 0 for no limit.
 */
export function connectionsWithin(max: number, limit = openFilesLimit()): number {
  if (limit === null) return max
  return Math.min(max, Math.max(1, Math.floor((limit - reserved) * partOfClients)))
}

/**
 * Warns if the file descriptors do not suffice for the connections.
 *
 * @param max the setting, for all processes together.
 */
export function checkOpenFiles(max: number, count: number, limit = openFilesLimit()): Finding[] {
  const part = Math.ceil(max / count)
  const accepted = connectionsWithin(part, limit)
  if (accepted === part) return []
  return [
    warning(
      'connections',
      `at most ${accepted * count} connections are accepted, and not the ${max} of AUTH_API_MAX_CONNECTIONS: a process may have ${limit} files open`,
      `raise the limit of open files (ulimit -n) to ${Math.ceil(part / partOfClients) + reserved}, or lower AUTH_API_MAX_CONNECTIONS`,
    ),
  ]
}
