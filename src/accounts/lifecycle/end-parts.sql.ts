import type { TableFragments } from '../../platform/sql/tables.ts'
import { deleteFactorsOf } from '../factors/factors-of-users.sql.ts'
import { deleteCodesOf, deleteTokensOf } from '../one-time-tokens/tokens-of-users.sql.ts'
import { deletePasskeysOf, deleteWebAuthnChallengesOf } from '../passkeys/passkeys-of-users.sql.ts'
import { deleteSessionsOf } from '../sessions/sessions-of-users.sql.ts'
import { endGrantsOf } from '../users/end-grants.sql.ts'
import { type Ending, type EndingCause, endings } from './endings.ts'

/** The parts whose rows a statement deletes. Pending changes are columns of `users`. */
export type DeletedPart = Exclude<keyof Ending, 'pendingChanges'>

const deletions: Record<
  Exclude<DeletedPart, 'grants'>,
  readonly [name: string, deletion: (sql: TableFragments, users: string, when: string) => string]
> = {
  sessions: ['ended', (sql, users, when) => `${deleteSessionsOf(sql, users, when)} returning s.id`],
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
      const [name, deletion] = deletions[part as keyof typeof deletions]
      return `${name} as (
      ${deletion(sql, users, when)}
    )`
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
    return Object.entries(parts).map(([part, extent]) => {
      const rows = rowsWithin(extent, sessionId)
      return { part: part as DeletedPart, condition: rows ? `(${when} and ${rows})` : when }
    })
  })
  const joined = [...Map.groupBy(conditions, ({ part }) => part)].map(([part, all]) => {
    const condition = `(${all.map((one) => one.condition).join(' or ')})`
    return [part, part === 'sessions' ? `${onlySessions} and ${condition}` : condition]
  })
  return deleteParts(sql, users, Object.fromEntries(joined))
}

/** Returns the condition for the rows of a part that end; null for all. */
function rowsWithin(extent: Ending[DeletedPart], sessionId: string): string | null {
  if (extent === 'own') return `s.id = ${sessionId}`
  if (extent === 'others') return `s.id is distinct from ${sessionId}`
  if (extent === 'suspended') throw new TypeError('passkeys are suspended by an update')
  return typeof extent === 'object' ? `t.purpose in (${extent.map(quoted).join(', ')})` : null
}

const quoted = (text: string): string => `'${text}'`
