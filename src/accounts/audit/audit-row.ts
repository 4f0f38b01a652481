import { networksOf } from '../../platform/kit/client-networks.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import { digestUuid, timeOrderedUuid } from '../../platform/kit/uuid.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { type AuditAction, auditActions } from './actions.ts'
import type { AuditEntry as AuditEntryEntity } from './audit-entry.entity.ts'

/** An event to be recorded. */
export interface AuditEvent {
  action: AuditAction
  /** The user who acted. Absent where no user was signed in, or an operator acted. */
  actorId?: string | null
  /** The role of an operator who acted. */
  actorRole?: string
  /** The affected user, where that is not the actor. */
  userId?: string
  /** Details, such as the provider. */
  traits?: Record<string, unknown>
  /**
   * The address without an account that an anonymous client submitted. The address is not stored:
   * it determines the entry of the hour that counts the event.
   */
  unknownAddress?: string
}

/** A user who operates through the host's code, such as the console. */
export interface AuditOperator {
  id: string
  /** Null for the role of the code. */
  role: string | null
}

/** An entry as it is stored. */
export type AuditEntryRow = RowOf<AuditEntryEntity>

/** The request or call that caused an event. */
export interface EventOrigin {
  id: string | null
  ip: string | null
  /** The user on whose behalf code calls a method of operators. */
  operator?: AuditOperator | null
  clientKey?(): string | null
}

/** Returns entries about events at one moment. Readers see them in the order of `events`. */
export function auditEntries(
  origin: EventOrigin,
  now: Date,
  events: readonly AuditEvent[],
): AuditEntryRow[] {
  if (events.length === 0) return []
  const ids = events.map(() => timeOrderedUuid(now))
  if (ids.length > 1) ids.sort()
  const time = now.toISOString()
  return events.map((event, at) => {
    const row = rowOf(origin, event, { id: ids[at] ?? '', created_at: time })
    if (event.unknownAddress === undefined) return row
    return { ...row, ...countedEntry(origin, now, event, event.unknownAddress) }
  })
}

const rowOf = (
  origin: EventOrigin,
  event: AuditEvent,
  { id, created_at }: Pick<AuditEntryRow, 'id' | 'created_at'>,
): AuditEntryRow => ({
  id,
  created_at,
  action: auditActions[event.action].number,
  ...actorOf(origin, event),
  user_id: event.userId ?? null,
  traits: event.traits ?? null,
  ip: origin.ip,
  request_id: origin.id,
  occurrences: null,
})

/** Only acts of operators have the operator as their actor. */
function actorOf(
  { operator }: EventOrigin,
  { actorId = null, actorRole }: AuditEvent,
): Pick<AuditEntryRow, 'actor_id' | 'actor_role'> {
  if (!operator || actorRole === undefined)
    return { actor_id: actorId, actor_role: actorRole ?? null }
  return { actor_id: operator.id, actor_role: operator.role ?? actorRole }
}

const hourMs = 3_600_000
/**
 * The number of entries per hour that count the same action, for each /48 or /24: addresses are
 * divided among them.
 */
const entriesOfNetwork = 32
/**
 * The number of networks that are counted separately in an hour. Further ones share entries, so
 * that no flood from any number of networks writes more.
 */
const countedNetworks = 2_048

/**
 * Returns the columns of an entry that counts events of one client and address in one hour. Equal
 * events have one id, by which {@link countOccurrences} adds to the stored entry. At most 65,536
 * entries an hour are stored for one action.
 */
function countedEntry(
  { clientKey }: EventOrigin,
  now: Date,
  { action, traits }: AuditEvent,
  address: string,
): Pick<AuditEntryRow, 'id' | 'created_at' | 'occurrences'> {
  const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs)
  const client = clientKey?.() ?? ''
  const network = networksOf(client).at(-1)?.key ?? client
  const place = [
    placeOf(network, countedNetworks),
    placeOf(JSON.stringify([client, address]), entriesOfNetwork),
  ]
  const digest = sha256Hex(JSON.stringify(['counted', action, traits, ...place]))
  return { id: digestUuid(hour, digest), created_at: hour.toISOString(), occurrences: 1 }
}

const placeOf = (text: string, places: number): number =>
  Number.parseInt(sha256Hex(text).slice(0, 8), 16) % places

/**
 * Returns the clause of an insert that adds to the entry of the same hour. Where clients or
 * addresses share an entry, its `ip` is the smallest network that contains all of them.
 */
export function countOccurrences(sql: TableFragments): string {
  const entry = sql.table('audit_entries')
  return `on conflict (id) do update set occurrences = ${entry}.occurrences + 1,
    ip = case when family(${entry}.ip) = family(excluded.ip) then inet_merge(${entry}.ip, excluded.ip)::inet end
    where ${entry}.occurrences is not null`
}

/**
 * Traits without personal data: an erasure keeps them, and the log contains them. All other traits
 * are erased and not logged.
 */
export const nonPersonalTraits: readonly string[] = [
  'provider',
  'provider_type',
  'channel',
  'reason',
  'erased',
]
