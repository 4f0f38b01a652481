import { openSigningKey } from '../../credentials/access-tokens/managed-key-rows.ts'
import { keyEncryption } from '../../credentials/access-tokens/open-key-ring.ts'
import { findSigningKeys } from '../../credentials/access-tokens/signing-keys.sql.ts'
import { channels } from '../../delivery/outbox/message.ts'
import { findBacklog } from '../../delivery/outbox/outbox-messages.sql.ts'
import { version } from '../../platform/kit/version.ts'
import { type Finding, fine, problem, warning } from '../../service/doctor/finding.ts'
import type { ConsoleParts } from './console-parts.ts'

type Needs = Pick<ConsoleParts, 'deps' | 'settings'>

/** The age from which a waiting message is a warning. */
const lateSeconds = 300

/** Checks the parts of the running service. */
export async function findFindings(needs: Needs): Promise<Finding[]> {
  const checks = [
    checkVersion,
    // Before the checks whose statements would be counted as waiting ones.
    checkConnections,
    checkDatabase,
    checkOutbox,
    checkCarriers,
    checkKeys,
  ]
  const found = await Promise.all(checks.map((check) => check(needs)))
  return found.flat()
}

function checkVersion({ deps: { workers } }: Needs): Finding[] {
  const counts = workers?.()
  const processes = counts ? `; ${counts.ready} of ${counts.count} workers accept requests` : ''
  return [fine('version', `latchkey ${version}, node ${nodeVersion()}${processes}`)]
}

/** Node's own object; the package does not import `node:process` here. */
const nodeVersion = (): string => globalThis.process.version

async function checkDatabase({ deps: { database } }: Needs): Promise<Finding[]> {
  const [pending, fault] = await Promise.all([database.pendingMigrations(), database.writeFault()])
  return [
    fault === null
      ? fine('database', 'reached; it accepts writes')
      : problem(
          'database',
          fault,
          'use the primary of PostgreSQL, and a role that may write to the tables',
        ),
    pending.length === 0
      ? fine('migrations', 'all applied')
      : warning(
          'migrations',
          `pending: ${pending.join(', ')}`,
          'latchkey migrate applies them, and so does the start of a service',
        ),
  ]
}

function checkConnections({ deps: { database } }: Needs): Finding[] {
  const load = database.load?.()
  if (!load) return [fine('connections', 'an embedded database')]
  const { used, idle, waiting, ceiling } = load
  const message = `${used} in use, ${idle} idle, at most ${ceiling ?? 'not counted yet'}; ${waiting} statements wait`
  if (waiting === 0) return [fine('connections', message)]
  return [warning('connections', message, 'docs/operations.md describes the pool and its limit')]
}

async function checkOutbox({ deps: { database, clock } }: Needs): Promise<Finding[]> {
  const backlogs = await findBacklog(database.sql)
  const late = channels.flatMap((channel) => {
    const backlog = backlogs.find((one) => one.channel === channel)
    if (!backlog) return []
    const age = Math.round((clock.now().getTime() - backlog.oldestAt.getTime()) / 1000)
    return age < lateSeconds ? [] : [`${channel}: ${backlog.messages} wait, the oldest ${age} s`]
  })
  if (late.length === 0) return [fine('outbox', 'no message waits for long')]
  return [warning('outbox', late.join('; '), 'the outbox shows the reason of each failure')]
}

function checkCarriers({ deps: { carriers, mailbox }, settings }: Needs): Finding[] {
  if (mailbox) return [fine('mail', 'development: messages are shown in the mailbox')]
  if (carriers.email || carriers.email_hook) return [fine('mail', 'a carrier is configured')]
  return [
    warning(
      'mail',
      'no carrier for mail is configured; no mail is sent',
      `set ${settings.nameOf('email.smtp.host')}`,
    ),
  ]
}

async function checkKeys({
  deps: { config, database, clock },
  settings,
}: Needs): Promise<Finding[]> {
  const { jwt, encryptionKeys } = config
  if (jwt.keys !== null || jwt.secrets.length > 0) {
    const name = settings.nameOf(jwt.keys === null ? 'jwt.secret' : 'jwt.keys')
    return [fine('signing keys', `${name} signs; its age is unknown`)]
  }
  const rows = await findSigningKeys(database.sql)
  const encryption = keyEncryption(encryptionKeys)
  const unread = rows.filter((row) => !succeeds(() => openSigningKey(encryption, row)))
  if (unread.length > 0) {
    return [
      problem(
        'signing keys',
        `${unread.length} of ${rows.length} cannot be read`,
        `add the key that sealed them to ${settings.nameOf('encryptionKey')}`,
      ),
    ]
  }
  const signing = rows.find((row) => new Date(row.signs_from) <= clock.now())
  if (!signing) return [fine('signing keys', 'none yet')]
  const days = Math.floor(
    (clock.now().getTime() - new Date(signing.signs_from).getTime()) / 86_400_000,
  )
  return [fine('signing keys', `the current key has signed for ${days} days`)]
}

function succeeds(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
