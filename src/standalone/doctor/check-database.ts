import { openSigningKey } from '../../access-tokens/managed-key-rows.ts'
import { keyEncryption } from '../../access-tokens/open-key-ring.ts'
import { findSigningKeys } from '../../access-tokens/signing-keys.sql.ts'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../kit/clock.ts'
import { migrationStatus } from '../../persistence/migration-status.ts'
import { openConfiguredDatabase } from '../../runtime.ts'
import type { Queryable } from '../../sql/queryable.ts'
import { statement } from '../../sql/statement.ts'
import { type Finding, fine, problem, warning } from './finding.ts'

/** By how much the clocks may differ: codes and tokens live minutes, those that apps check seconds. */
const tolerableMs = 2_000

/** What is stored, and when: database, schema, clock and keys. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  try {
    const database = await openConfiguredDatabase(config)
    try {
      const { applied, pending } = await migrationStatus(database.sql, config.database)
      return [
        fine(
          'database',
          `reached; ${applied.length} migrations applied, ${pending.length} to come`,
        ),
        ...pendingSteps(pending),
        await checkClock(database.sql),
        ...(pending.length === 0 ? await checkKeys(database.sql, config) : []),
      ]
    } finally {
      await database.close()
    }
  } catch (error) {
    return [
      problem(
        'database',
        error,
        'see that AUTH_DATABASE_URL is right, and that the server takes connections from this machine',
      ),
    ]
  }
}

const pendingSteps = (pending: readonly string[]): Finding[] =>
  pending.length === 0
    ? []
    : [
        warning(
          'migrations',
          `to come: ${pending.join(', ')}`,
          'latchkey migrate takes them, and latchkey serve does so by itself',
        ),
      ]

const readClock = statement<object, { ms: string }>(
  'read_clock',
  () => 'select extract(epoch from clock_timestamp()) * 1000 as ms',
  { unprepared: 'it is asked by hand' },
)

/** What the way there and back takes is no difference. */
async function checkClock(sql: Queryable): Promise<Finding> {
  const before = Date.now()
  const [row] = await sql.query(readClock, {})
  return judgeClock(Number(row?.ms), { before, after: Date.now() })
}

/** @param asked when the clock of the database was asked, and when it had answered, by our own. */
export function judgeClock(
  ms: number,
  { before, after }: Record<'before' | 'after', number>,
): Finding {
  const offMs = Math.max(0, before - ms, ms - after)
  const says = `differs from that of the database by ${(offMs / 1000).toFixed(1)} s`
  const remedy = 'have both machines keep their clocks by NTP: tokens and codes end by this one'
  return offMs > tolerableMs ? problem('clock', says, remedy) : fine('clock', says)
}

async function checkKeys(sql: Queryable, { jwt, encryptionKeys }: Config): Promise<Finding[]> {
  if (jwt.secrets.length > 0 || jwt.keys !== null) {
    const name = jwt.keys === null ? 'AUTH_JWT_SECRET' : 'AUTH_JWT_KEYS'
    return [fine('keys', `${name} signs, of whose age nothing is known`)]
  }
  const rows = await findSigningKeys(sql)
  const encryption = keyEncryption(encryptionKeys)
  const unread = rows.filter((row) => !isReadable(() => openSigningKey(encryption, row)))
  if (unread.length > 0) {
    return [
      problem(
        'keys',
        `${unread.length} of ${rows.length} cannot be read`,
        'name the key that they were stored under in AUTH_ENCRYPTION_KEY, too, behind a comma',
      ),
    ]
  }
  const now = systemClock.now()
  const signing = rows.find((row) => new Date(row.signs_from) <= now)
  return [judgeKeyAge(signing ? now.getTime() - new Date(signing.signs_from).getTime() : null, jwt)]
}

/** @param ageMs for how long the key has signed; null where there is none yet. */
export function judgeKeyAge(
  ageMs: number | null,
  { rotation }: Pick<Config['jwt'], 'rotation'>,
): Finding {
  if (ageMs === null) return fine('keys', 'none yet: latchkey serve makes the first')
  const days = Math.floor(ageMs / 86_400_000)
  const says = `the one that signs has done so for ${days} ${days === 1 ? 'day' : 'days'}`
  const dueMs = (rotation.intervalSeconds + rotation.overlapSeconds) * 1000
  return ageMs > dueMs + 86_400_000
    ? warning(
        'keys',
        says,
        'latchkey keys rotate makes the next; a running server does so by itself',
      )
    : fine('keys', says)
}

function isReadable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
