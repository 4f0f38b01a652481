import { openSigningKey } from '../../credentials/access-tokens/managed-key-rows.ts'
import { keyEncryption } from '../../credentials/access-tokens/open-key-ring.ts'
import { findSigningKeys } from '../../credentials/access-tokens/signing-keys.sql.ts'
import { channels } from '../../delivery/outbox/message.ts'
import { findBacklog } from '../../delivery/outbox/outbox-backlog.sql.ts'
import { version } from '../../platform/kit/version.ts'
import type { ConsoleParts } from './console-parts.ts'

/** The result of one check. */
export interface HealthFinding {
  /** `problem`: something does not work. `warning`: it works, and something is to be done. */
  level: 'fine' | 'warning' | 'problem'
  about: string
  message: string
  /** The remedy; present unless the level is `fine`. */
  remedy?: string
}

type Needs = Pick<ConsoleParts, 'deps' | 'settings'>

/** The age from which a waiting message is a warning. */
const lateSeconds = 300

/** Checks the parts of the running service. */
export async function findFindings(needs: Needs): Promise<HealthFinding[]> {
  const checks = [
    checkVersion,
    checkDatabase,
    checkConnections,
    checkOutbox,
    checkCarriers,
    checkKeys,
  ]
  const found = await Promise.all(checks.map((check) => check(needs)))
  return found.flat()
}

const fine = (about: string, message: string): HealthFinding => ({ level: 'fine', about, message })

function checkVersion({ deps: { workers } }: Needs): HealthFinding[] {
  const counts = workers?.()
  const processes = counts ? `; ${counts.ready} of ${counts.count} workers accept requests` : ''
  return [fine('version', `latchkey ${version}, node ${nodeVersion()}${processes}`)]
}

/** Node's own object; the package does not import `node:process` here. */
const nodeVersion = (): string => globalThis.process.version

async function checkDatabase({ deps: { database } }: Needs): Promise<HealthFinding[]> {
  const [pending, fault] = await Promise.all([database.pendingMigrations(), database.writeFault()])
  return [
    fault === null
      ? fine('database', 'reached; it accepts writes')
      : {
          level: 'problem',
          about: 'database',
          message: fault,
          remedy: 'Use the primary of PostgreSQL, and a role that may write to the tables.',
        },
    pending.length === 0
      ? fine('migrations', 'all applied')
      : {
          level: 'warning',
          about: 'migrations',
          message: `pending: ${pending.join(', ')}`,
          remedy: 'latchkey migrate applies them, and so does the start of a service.',
        },
  ]
}

function checkConnections({ deps: { database } }: Needs): HealthFinding[] {
  const load = database.load?.()
  if (!load) return [fine('connections', 'an embedded database')]
  const { used, idle, waiting, ceiling } = load
  const message = `${used} in use, ${idle} idle, at most ${ceiling ?? 'not counted yet'}; ${waiting} statements wait`
  if (waiting === 0) return [fine('connections', message)]
  const remedy = 'docs/operations.md describes the pool and its limit.'
  return [{ level: 'warning', about: 'connections', message, remedy }]
}

async function checkOutbox({ deps: { database, clock } }: Needs): Promise<HealthFinding[]> {
  const backlogs = await findBacklog(database.sql)
  const late = channels.flatMap((channel) => {
    const backlog = backlogs.find((one) => one.channel === channel)
    if (!backlog) return []
    const age = Math.round((clock.now().getTime() - backlog.oldestAt.getTime()) / 1000)
    return age < lateSeconds ? [] : [`${channel}: ${backlog.messages} wait, the oldest ${age} s`]
  })
  if (late.length === 0) return [fine('outbox', 'no message waits for long')]
  const remedy = 'The outbox shows the reason of each failure.'
  return [{ level: 'warning', about: 'outbox', message: late.join('; '), remedy }]
}

function checkCarriers({ deps: { carriers, mailbox }, settings }: Needs): HealthFinding[] {
  if (mailbox) return [fine('mail', 'development: messages are shown in the mailbox')]
  if (carriers.email || carriers.email_hook) return [fine('mail', 'a carrier is configured')]
  return [
    {
      level: 'warning',
      about: 'mail',
      message: 'no carrier for mail is configured; no mail is sent',
      remedy: `Set ${settings.nameOf('email.smtp.host')}.`,
    },
  ]
}

async function checkKeys({
  deps: { config, database, clock },
  settings,
}: Needs): Promise<HealthFinding[]> {
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
      {
        level: 'problem',
        about: 'signing keys',
        message: `${unread.length} of ${rows.length} cannot be read`,
        remedy: `Add the key that sealed them to ${settings.nameOf('encryptionKey')}.`,
      },
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
