import type { TableFragments } from '../../platform/sql/tables.ts'
import { deleteFactorsOf } from '../factors/factors.sql.ts'
import { deleteCodesOf, deleteTokensOf } from '../one-time-tokens/one-time-tokens.sql.ts'
import { deletePasskeysOf, deleteWebAuthnChallengesOf } from '../passkeys/passkeys.sql.ts'
import { restsOnSubstitute } from '../sessions/session-assurance.sql.ts'
import { deleteSessionsOf, endedColumns } from '../sessions/sessions.sql.ts'
import { addressChange, type Ending, type EndingCause, endings } from './endings.ts'

/** The parts whose rows a statement deletes. Pending changes are columns of `users`. */
export type DeletedPart = Exclude<keyof Ending, 'pendingChanges'>

const deletions: Record<
  Exclude<DeletedPart, 'grants' | 'consents'>,
  readonly [name: string, deletion: (sql: TableFragments, users: string, when: string) => string]
> = {
  sessions: [
    'ended',
    (sql, users, when) => `${deleteSessionsOf(sql, users, when)} returning ${endedColumns('s.')}`,
  ],
  factors: ['no_factors', deleteFactorsOf],
  passkeys: ['no_passkeys', deletePasskeysOf],
  webAuthnChallenges: ['no_web_authn_challenges', deleteWebAuthnChallengesOf],
  tokens: ['voided', deleteTokensOf],
  codes: ['voided_codes', deleteCodesOf],
}

/**
 * Returns common table expressions that delete parts of accounts. The one for sessions is `ended`.
 *
 * @param users an earlier common table expression with the ids of the accounts as `id`.
 * @param conditions for each part, the condition under which its rows are deleted: see the fragment
 *   of its folder.
 */
export const deleteParts = (
  sql: TableFragments,
  users: string,
  conditions: Partial<Record<DeletedPart, string>>,
): string =>
  Object.entries(conditions)
    .map(([part, when]) => {
      if (part === 'grants') return endGrantsOf(sql, users, when)
      if (part === 'consents') return endConsentsOf(sql, users, when)
      const [name, deletion] = deletions[part as keyof typeof deletions]
      const reports = part === 'sessions' ? sql.sessionReports(name) : ''
      return `${name} as (
      ${deletion(sql, users, when)}
    )${reports}`
    })
    .join(', ')

interface EndOptions {
  /** An expression for the session of the request. */
  sessionId?: string
  /** A condition on the sessions `s` that may end. */
  onlySessions?: string
}

/**
 * Returns common table expressions that end the parts that {@link endings} lists for these causes.
 * Recovery codes that are left alone are deleted by the statement that removes the other factor,
 * and all pending changes by the update of the user.
 *
 * @param causes each with the condition under which it applies to a row `owner`.
 */
export function endParts(
  sql: TableFragments,
  users: string,
  causes: Partial<Record<EndingCause, string>>,
  { sessionId = 'null::uuid', onlySessions = 'true' }: EndOptions = {},
): string {
  const conditions = Object.entries(causes).flatMap(([cause, when]) => {
    const { pendingChanges: _, ...parts }: Ending = endings[cause as EndingCause]
    return Object.entries(parts).flatMap(([part, extent]) => {
      if (extent === 'alone') return []
      const rows = rowsWithin(extent, sessionId)
      return { part: part as DeletedPart, condition: rows ? `(${when} and ${rows})` : when }
    })
  })
  const changes = Object.entries(causes).flatMap(([cause, when]) => {
    const { pendingChanges }: Ending = endings[cause as EndingCause]
    const which = pendingChanges && revocable[pendingChanges]
    return which ? `(${when} and ${which})` : []
  })
  const joined = [...Map.groupBy(conditions, ({ part }) => part)].map(([part, all]) => {
    const condition = `(${all.map((one) => one.condition).join(' or ')})`
    return [part, part === 'sessions' ? `${onlySessions} and ${condition}` : condition]
  })
  const revocation = changes.length > 0 ? [revokeChanges(sql, users, changes.join(' or '))] : []
  return [deleteParts(sql, users, Object.fromEntries(joined)), ...revocation].join(', ')
}

/**
 * The conditions on users `u` whose changes of address are revoked; null where the update of the
 * user removes them.
 */
const revocable: Record<NonNullable<Ending['pendingChanges']>, string | null> = {
  all: null,
  waiting: '(u.email_change_sent_at is not null or u.phone_change_sent_at is not null)',
  unproved: 'u.change_proved_at is not null',
}

/**
 * Returns common table expressions that revoke changes of address. The new addresses stay on
 * record, as after a change of password.
 */
const revokeChanges = (
  sql: TableFragments,
  users: string,
  condition: string,
): string => `void_changes as (
      update ${sql.table('users')} u set email_change_sent_at = null, phone_change_sent_at = null,
        email_change_confirm_status = 0, change_proved_at = null, version = u.version + 1
      from ${users} owner where u.id = owner.id and (${condition})
      returning u.id
    ), void_change_tokens as (
      ${deleteTokensOf(sql, 'void_changes', `t.purpose in (${addressChange.map(quoted).join(', ')})`)}
    )`

/** Returns the condition for the rows of a part that end; null for all. */
function rowsWithin(extent: Ending[DeletedPart], sessionId: string): string | null {
  if (extent === 'own') return `s.id = ${sessionId}`
  const isOther = `s.id is distinct from ${sessionId}`
  if (extent === 'others') return isOther
  if (extent === 'weaker') return `${isOther} and s.aal <> 'aal2' and s.oauth_client_id is null`
  if (extent === 'substituted') {
    return `${isOther} and (s.aal <> 'aal2' or ${restsOnSubstitute('s')})`
  }
  if (extent === 'suspended') throw new TypeError('passkeys are suspended by an update')
  return typeof extent === 'object' ? `t.purpose in (${extent.map(quoted).join(', ')})` : null
}

const quoted = (text: string): string => `'${text}'`

/**
 * Returns common table expressions that end the grants of users: rows of capabilities that give a
 * user or a device a right, such as trusted devices. The first one selects these users, so that a
 * statement uses the parameters of the condition whichever capabilities there are.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `owner` of `users`.
 */
export const endGrantsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `without_grants as (
      select owner.id from ${users} owner where ${condition}
    )${sql.grantEndings('without_grants')}`

/** Returns common table expressions that end the consents of users, as {@link endGrantsOf} does. */
export const endConsentsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `without_consents as (
      select owner.id from ${users} owner where ${condition}
    )${sql.consentEndings('without_consents')}`
