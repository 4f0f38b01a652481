import { memoize } from '../../platform/kit/memoize.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { type ParameterValues, type Placeholders, statement } from '../../platform/sql/statement.ts'
import type { Rows, RowsExpression, Selection, TableFragments } from '../../platform/sql/tables.ts'
import { importedCounter, type RefreshToken } from './refresh-token.ts'
import type { SessionRow } from './session.ts'
import {
  byEndingRules,
  type EndingRules,
  type EndingValues,
  endingExpression,
  endingValues,
  type SessionEnding,
  withRuleNames,
} from './session-ending.sql.ts'
import type { SessionLimits } from './session-limits.ts'

/** A submitted token: one of this service, or one of an imported session. */
export type PresentedToken = RefreshToken | ImportedTokenHashes

export interface ImportedTokenHashes {
  /**
   * The hashes under which the token may be stored. Which root key applies is known only to the
   * database.
   */
  hashes: readonly string[]
}

export interface Rotation {
  token: PresentedToken
  /** The instant that replaces the database's clock; null, as in production, for that clock. */
  databaseNow: Date | null
  /** The time after a rotation in which its parent token may be used again. */
  reuseIntervalSeconds: number
  /** Whether reuse of an older token ends the session. */
  revokesOnReuse: boolean
  limits: SessionLimits
  ip: string | null
  userAgent: string | null
  /** Stored when the token is accepted, with the session's user as actor. */
  auditRows: Rows<'audit_entries'>
  /**
   * Stored when the session is revoked, with the session's user as recipient; null for no message.
   */
  messageRows: Rows<'outbox_messages'> | null
}

/** The session after the attempt, and whether the token was accepted. */
export interface RotatedSession<User> {
  session: SessionRow
  user: User
  accepted: boolean
  /** Whether this attempt revoked the session. */
  revoked: boolean
  /** The reason why the session has ended; null while it may be renewed. */
  ending: SessionEnding | null
}

/**
 * Advances a session's counter if the token is the newest, leaves it if the token is the previous
 * one and its rotation is recent, and otherwise revokes the session.
 *
 * One update decides, on the row as it is once the lock is held: of two requests with the same
 * token one advances the counter, and the other sees the new value and gets the same child. A
 * banned user's session and one that a rule has ended stay unchanged.
 *
 * The age of a rotation is measured only by the database's clock, since the clocks of instances
 * differ. The clock of a standby that replaces the primary may differ, too: a rotation in the near
 * future, down to the negative interval, is recent.
 *
 * @param user selects the session's user.
 */
export async function rotateSession<User>(
  sql: Queryable,
  user: Selection<User>,
  attempt: Rotation,
): Promise<RotatedSession<User> | null> {
  const row = await rotate(sql, user, attempt, null)
  return row?.rotated ?? null
}

/** The conditions under which an OAuth client renews a session of its own. */
export interface ClientTerms<Client, Parameters> {
  /** Returns common table expressions. `client` has one row, which states the client. */
  tables(sql: TableFragments, $: Placeholders<Parameters>): string
  /** Returns a condition on the session `s`. */
  condition(sql: TableFragments, $: Placeholders<Parameters>): string
  readonly '~client'?: Client
}

/**
 * Renews a session of an OAuth client, as {@link rotateSession} does for one of the user's own. A
 * session that does not meet the terms stays unchanged.
 *
 * @param client the terms, defined once, and their values.
 */
export async function rotateSessionOfClient<User, Client, Parameters extends ParameterValues>(
  sql: Queryable,
  user: Selection<User>,
  attempt: Rotation,
  client: { terms: ClientTerms<Client, Parameters>; values: NoInfer<Parameters> },
): Promise<{ rotated: RotatedSession<User> | null; client: Client }> {
  const row = await rotate(sql, user, attempt, {
    terms: client.terms as unknown as AnyTerms,
    values: client.values,
  })
  if (!row) throw new Error('the terms of the client returned no row')
  return { rotated: row.rotated, client: row.client as Client }
}

type AnyTerms = ClientTerms<unknown, ParameterValues>

async function rotate<User>(
  sql: Queryable,
  user: Selection<User>,
  attempt: Rotation,
  client: { terms: AnyTerms; values: ParameterValues } | null,
): Promise<Rotated<User> | undefined> {
  const { token, limits, messageRows } = attempt
  const isImported = 'hashes' in token
  const isNotified = messageRows !== null
  const statements = client ? rotateOfClient(user)(client.terms) : rotateWith(user)
  const [row] = await sql.query(statements[`${isImported}`][`${isNotified}`](limits), {
    presented: isImported ? JSON.stringify(token.hashes) : token.sessionId,
    counter: counterOf(token),
    databaseNow: attempt.databaseNow?.toISOString() ?? null,
    reuseIntervalSeconds: attempt.reuseIntervalSeconds,
    revokesOnReuse: attempt.revokesOnReuse,
    ip: attempt.ip,
    userAgent: attempt.userAgent,
    auditRows: attempt.auditRows,
    ending: endingValues(limits),
    ...(isNotified && { messageRows }),
    ...(client && { client: client.values }),
  })
  return row
}

interface Rotated<User> {
  rotated: RotatedSession<User> | null
  /** Present only with terms. */
  client?: unknown
}

/** Returns the session's counter at the time when the token was issued. */
export const counterOf = (token: PresentedToken): number =>
  'hashes' in token ? importedCounter : token.counter

type RotationParameters = {
  /** The id of the token's session, or hashes of an imported one. */
  presented: string
  counter: number
  databaseNow: string | null
  reuseIntervalSeconds: number
  revokesOnReuse: boolean
  ip: string | null
  userAgent: string | null
  auditRows: Rows<'audit_entries'>
  ending: EndingValues
  /** Present only with a message. */
  messageRows?: Rows<'outbox_messages'>
  /** Present only with terms. */
  client?: ParameterValues
}

const either = <Made>(make: (is: boolean) => Made) => ({ true: make(true), false: make(false) })

/** One statement for each combination of options that change its text. */
const rotationsOf = <User>(user: Selection<User>, terms: AnyTerms | null) =>
  either((isImported) =>
    either((isNotified) =>
      byEndingRules((rules) => rotation(user, { ...rules, isImported, isNotified, terms })),
    ),
  )

const rotateWith = memoize(<User>(user: Selection<User>) => rotationsOf(user, null))

const rotateOfClient = memoize(<User>(user: Selection<User>) =>
  memoize((terms: AnyTerms) => rotationsOf(user, terms)),
)

interface Target extends EndingRules {
  /** Own tokens contain their session; for others it is looked up, in the same statement. */
  isImported: boolean
  /** Whether a message about a revoked session is stored. */
  isNotified: boolean
  /** The terms of an OAuth client; null for a session of the user's own. */
  terms: AnyTerms | null
}

const rotation = <User>(user: Selection<User>, target: Target) =>
  statement<RotationParameters, Rotated<User>>(nameOf(target), (sql, $) => {
    const ending = endingExpression(sql, target, $.ending)
    const now = nowIn($)
    const { terms } = target
    // A placeholder has its number once it is read.
    const ofClient = terms && ($.client as unknown as Placeholders<ParameterValues>)
    const isOwn =
      terms && ofClient ? `(${terms.condition(sql, ofClient)})` : 's.oauth_client_id is null'
    const isLive = `(${ending} is null and ${isOwn})`
    const isNewest = `s.refresh_token_counter = ${$.counter}::int`
    const mayRotate = `${isLive} and ${isNewest}`
    // One rotation past the token, in this statement or shortly before.
    const hasChild = `(s.refresh_token_counter = ${$.counter}::int + 1
      and (s.refreshed_at = ${now} or ${isRecent($)}))`
    const isReused = `(s.refresh_token_counter > ${$.counter}::int and not ${hasChild})`
    return `
      with ${terms && ofClient ? `${terms.tables(sql, ofClient)}, ` : ''}s as (
        update ${sql.table('sessions')} s set
          refresh_token_counter = case when ${mayRotate}
            then s.refresh_token_counter + 1 else s.refresh_token_counter end,
          refreshed_at = case when ${mayRotate} then ${now} else s.refreshed_at end,
          ip = case when ${mayRotate} then ${$.ip} else s.ip end,
          user_agent = case when ${mayRotate} then ${$.userAgent} else s.user_agent end,
          revoked_at = case when ${isLive} and ${$.revokesOnReuse} and ${isReused}
            then ${now} else s.revoked_at end
        from ${sql.table('users')} u
        where s.id = ${target.isImported ? importedSession(sql, $.presented) : $.presented}
          and u.id = s.user_id and u.deleted_at is null
        returning s.user_id, row_to_json(s) as session, ${isLive} and ${hasChild} as accepted,
          s.revoked_at is not distinct from ${now} as revoked, ${ending} as ending
      ), a as (
        ${sql.insertRows('audit_entries', entriesOfUser($.auditRows))}
      )${target.isNotified ? `, m as (${sql.insertRows('outbox_messages', newsOfUser($))})` : ''}
      select ${rotated(user(sql, 'u'), terms)}
      from ${terms ? 'client left join s on true left join' : 's join'} ${sql.table('users')} u
        on u.id = s.user_id`
  })

/** With terms, the client is returned without a session, too. */
function rotated(user: string, terms: AnyTerms | null): string {
  const found = `json_build_object('session', s.session, 'accepted', s.accepted, 'revoked', s.revoked,
        'ending', s.ending, 'user', ${user})`
  return terms
    ? `case when s.user_id is null then null else ${found} end as rotated,
        row_to_json(client) as client`
    : `${found} as rotated`
}

const nameOf = ({ isImported, isNotified, terms, ...rules }: Target): string =>
  [
    withRuleNames(isImported ? 'rotate_imported_session' : 'rotate_session', rules),
    ...(terms ? ['of_client'] : []),
    ...(isNotified ? ['and_tell'] : []),
  ].join('_')

/**
 * Returns the instant of a rotation: one for the whole statement, so that the statement recognizes
 * its own.
 */
const nowIn = ({ databaseNow }: Placeholders<RotationParameters>): string =>
  `coalesce(${databaseNow}::timestamptz, statement_timestamp())`

/**
 * Returns the condition that another statement rotated the session within the interval. It may have
 * begun later and got the lock first, so the clock is read after the lock.
 */
function isRecent($: Placeholders<RotationParameters>): string {
  const clock = `coalesce(${$.databaseNow}::timestamptz, clock_timestamp())`
  return `(s.refreshed_at < ${clock} + make_interval(secs => ${$.reuseIntervalSeconds})
        and s.refreshed_at > ${clock} - make_interval(secs => ${$.reuseIntervalSeconds}))`
}

/** Returns an expression for the session to which one of these hashes belongs. */
export const importedSession = (sql: TableFragments, hashes: string): string =>
  `(select session_id from ${sql.table('imported_tokens')}
    where token_hash in (select jsonb_array_elements_text(${hashes}::jsonb)))`

/** Returns an expression for the audit entry, or for none where the configuration stores none. */
const entriesOfUser = (rows: RowsExpression<'audit_entries'>) =>
  `(select jsonb_set(${rows}::jsonb, '{0, actor_id}', to_jsonb(s.user_id))
    from s where s.accepted)` as RowsExpression<'audit_entries'>

/** Returns an expression for the message about a session that this statement revokes. */
const newsOfUser = ({ messageRows }: Placeholders<RotationParameters>) =>
  `(select jsonb_set(${messageRows}::jsonb, '{0, recipient}', to_jsonb(s.user_id))
    from s where s.revoked)` as RowsExpression<'outbox_messages'>
