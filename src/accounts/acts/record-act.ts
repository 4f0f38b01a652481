import { type MessageOrder, type OutboxRow, outboxRows } from '../../delivery/outbox/outbox-row.ts'
import type { Telemetry } from '../../platform/observability/telemetry.ts'
import { joinRows, noRows, type Rows, rowsOf } from '../../platform/sql/tables.ts'
import { type AuditAction, auditActions } from '../audit/actions.ts'
import { auditNote, type StoredEntries } from '../audit/audit-note.ts'
import type { AuditEvent, EventOrigin } from '../audit/audit-row.ts'
import { insertAuditEntries } from '../audit/insert-audit-entries.sql.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Decision } from '../decisions/decision.ts'
import { type DomainEvent, eventRows } from './event-rows.ts'

/** A security-relevant action on an account, with all that it leaves behind. */
export interface Act {
  /** The audit entries. The log and the metric derive from them. */
  audit: AuditEvent | readonly AuditEvent[]
  /** Events for the application, about one user: null where the statement determines the user. */
  events?: { userId: string | null; events: readonly DomainEvent[] }
  /** The notification mails that are enabled. */
  notices?: readonly MessageOrder[]
  /**
   * The messages that the act itself sends, such as a link. This process delivers them without a
   * query where the statement runs outside a transaction.
   */
  messages?: readonly OutboxRow[]
  /** Rows of further messages, which a query finds. */
  messageRows?: Rows<'outbox_messages'> | Rows<never>
  /**
   * Whether the response time must not reveal if a message was stored. Where a query finds
   * messages, delivery is then woken in either case, and whether or not the act took place.
   */
  isConcealed?: boolean
  /**
   * Whether the statement may store reports of ended sessions to OAuth clients: see
   * `sessionReports`. Default: whether an event ends sessions.
   */
  mayReportSessions?: boolean
  /** The decision that `latchkey why` reports, where the response does not name it. */
  decision?: Decision
}

/** The rows of an act, for the statement that performs it. */
export interface ActRows {
  auditRows: Rows<'audit_entries'>
  messageRows: Rows<'outbox_messages'>
}

/**
 * Whether an act took place, and where only the statement determines it, which of its entries and
 * whether its messages were stored. Default: all.
 */
export type Outcome = boolean | (StoredEntries & { areMessagesStored?: boolean })

/** The parts of the context that record an act. A background task has no request. */
export interface Recorders
  extends Pick<
    AuthContext,
    'config' | 'clock' | 'roots' | 'carriers' | 'eventId' | 'logger' | 'outbox' | 'telemetry'
  > {
  /** Whether the statements run in a transaction. Default: false. */
  isInTransaction?: boolean
  request: EventOrigin & { userAgent: string | null; decided?(decision: Decision): void }
  afterCommit?: AuthContext['afterCommit']
}

/**
 * Performs an act: the statement stores its rows, and its records are completed after the commit.
 *
 * @param statement stores both kinds of rows.
 * @param outcomeOf the outcome by the result of the statement. By default any result but `null` and
 *   `false` means that the act took place.
 */
export const performAct = <T>(
  recorders: Recorders,
  act: Act,
  statement: (rows: ActRows) => Promise<T>,
  outcomeOf: (result: T) => Outcome = (result) => result !== null && result !== false,
): Promise<T> =>
  performActs(
    recorders,
    { act },
    (rows) => statement(rows.act),
    (result) => ({ act: outcomeOf(result) }),
  )

/**
 * Performs one of several acts, or several at once: one statement determines which of them take
 * place.
 *
 * @param acts each under a name.
 * @param statement stores the rows of those that take place.
 * @param outcomesOf the outcomes by the result of the statement. An act without an outcome did not
 *   take place.
 */
export async function performActs<Name extends string, T>(
  recorders: Recorders,
  acts: Readonly<Record<Name, Act>>,
  statement: (rows: Readonly<Record<Name, ActRows>>) => Promise<T>,
  outcomesOf: (result: T) => Partial<Record<Name, Outcome>>,
): Promise<T> {
  const names = Object.keys(acts) as Name[]
  const prepared: [Name, PreparedAct][] = []
  try {
    for (const name of names) prepared.push([name, prepareAct(recorders, acts[name])])
    const rows = Object.fromEntries(prepared.map(([name, { rows: own }]) => [name, own]))
    const result = await statement(rows as Record<Name, ActRows>)
    const outcomes = outcomesOf(result)
    for (const [name, { complete }] of prepared) complete(outcomes[name] ?? false)
    return result
  } catch (error) {
    for (const [, { abandon }] of prepared) abandon()
    throw error
  }
}

/** Records an act that changes no other row. */
export async function recordAlone(ctx: AuthContext, audit: AuditEvent): Promise<void> {
  await performAct(ctx, { audit }, ({ auditRows }) => insertAuditEntries(ctx.sql, auditRows))
}

/** The events of statements that may store reports of ended sessions: see `sessionReports`. */
const endsSessions: ReadonlySet<DomainEvent['type']> = new Set([
  'session.ended',
  'user.deleted',
  'password.changed',
])

interface PreparedAct {
  rows: ActRows
  /** Completes every record of the act, after the commit. A listener to all acts is added here. */
  complete(outcome: Outcome): void
  /** Ends the act after an exception. */
  abandon(): void
}

function prepareAct(recorders: Recorders, act: Act): PreparedAct {
  const { config, outbox, request, telemetry, afterCommit = (run) => run() } = recorders
  const { hooks } = config
  const { events, messages, notices = [], decision, isConcealed = false } = act
  const { mayReportSessions = events?.events.some(({ type }) => endsSessions.has(type)) } = act
  const note = auditNote(recorders, ...[act.audit].flat())
  const others = joinRows(
    act.messageRows,
    rowsOf('outbox_messages', ...outboxRows(recorders, notices)),
    events && eventRows(recorders, events.userId, events.events),
  )
  // After a rollback there is nothing to deliver, so messages in a transaction are not claimed.
  const mayClaim = !recorders.isInTransaction && (isConcealed || messages?.length !== 0)
  // Last, since only the prepared act can abandon it.
  const claimed = messages && mayClaim ? outbox.claimNew(messages, { isConcealed }) : null
  const toFind = joinRows(claimed ? noRows : rowsOf('outbox_messages', ...(messages ?? [])), others)
  const mayHaveOthers = hooks.events.enabled || hooks.afterUserCreated.enabled
  const mayReport = config.oauthServer.enabled && mayReportSessions
  const wake = (): void => {
    if (isConcealed && (!claimed || mayHaveOthers)) outbox.wake({ isConcealed })
    else if (toFind !== noRows || mayReport) outbox.wake()
  }
  return {
    rows: {
      auditRows: note.rows,
      messageRows: joinRows(claimed ? rowsOf('outbox_messages', ...claimed.rows) : noRows, toFind),
    },
    abandon: () => claimed?.release(),
    complete: (outcome) => {
      const tookPlace = outcome !== false
      const entries = typeof outcome === 'boolean' ? {} : outcome
      if (tookPlace && entries.areMessagesStored !== false) claimed?.deliver()
      else claimed?.release()
      if (!tookPlace && !isConcealed) return
      afterCommit(() => {
        wake()
        if (!tookPlace) return
        countActs(telemetry, note.log(entries))
        if (decision) request.decided?.(decision)
      })
    },
  }
}

function countActs(telemetry: Telemetry | null, actions: readonly AuditAction[]): void {
  if (!telemetry) return
  for (const action of actions) telemetry.count('auth.acts', attributesOf[action])
}

const attributesOf = Object.fromEntries(
  Object.keys(auditActions).map((action) => [action, { 'auth.act': action }]),
) as Record<AuditAction, { 'auth.act': AuditAction }>
