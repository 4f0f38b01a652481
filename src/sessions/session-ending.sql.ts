import type { TableFragments } from '../sql/tables.ts'
import type { SessionLimits } from './session-limits.ts'

/**
 * Past its time; not renewed for too long; without a second factor for too long, which its user has;
 * overtaken by a newer sign-in of the same user.
 */
export type SessionEnding = 'expired' | 'inactive' | 'weak' | 'superseded'

/**
 * Which rules look into other rows. A text has these only where they are wanted: as conditions that a
 * parameter switches off they made PostgreSQL plan the statement anew each time, in the hope of leaving
 * them out.
 */
export interface EndingRules {
  endsWeak: boolean
  singlePerUser: boolean
}

export const endingRules = ({ weakSince, singlePerUser }: SessionLimits): EndingRules => ({
  endsWeak: weakSince !== null,
  singlePerUser,
})

/** What stands in the statement for what the rules compare with. */
export interface EndingParameters {
  now: string
  openedSince: string
  usedSince: string
  weakSince: string
  /** There only if one session per user is wanted. */
  tags: string
}

/** An expression for the rule that has ended the session `s`; null while it may be renewed. */
export function endingExpression(
  sql: TableFragments,
  rules: EndingRules,
  at: EndingParameters,
): string {
  const isPastItsTime = (session: string) =>
    `(${session}.not_after <= ${at.now} or ${session}.created_at < ${at.openedSince}::timestamptz) is true`

  const isUnused = (session: string) =>
    `(${lastUseOf(session)} < ${at.usedSince}::timestamptz) is true`

  /** Whether a session has to be proved by a second factor by now: its user has one. */
  const isWeak = (session: string) =>
    `(${session}.created_at < ${at.weakSince}::timestamptz and ${session}.aal <> 'aal2'
      and ${rules.endsWeak ? hasFactor(sql, session) : 'false'}) is true`

  /** The session's own tag if it is a configured one, else the first of those. */
  const tagOf = (session: string) =>
    `coalesce(case when ${at.tags}::jsonb ? ${session}.tag then ${session}.tag end,
      ${at.tags}::jsonb ->> 0, '')`

  /** Of several sessions with one tag, only the one that was used last goes on. */
  const isOvertaken = () => `exists (
    select from ${sql.table('sessions')} o
    where o.user_id = s.user_id and o.id <> s.id and o.revoked_at is null
      and not ${isPastItsTime('o')} and not ${isUnused('o')} and not ${isWeak('o')}
      and ${tagOf('o')} = ${tagOf('s')} and ${lastUseOf('o')} > ${lastUseOf('s')})`

  return `(case
    when ${isPastItsTime('s')} then 'expired'
    when ${isUnused('s')} then 'inactive'
    when ${isWeak('s')} then 'weak'
    ${rules.singlePerUser ? `when ${isOvertaken()} then 'superseded'` : ''} end)`
}

const lastUseOf = (session: string) => `coalesce(${session}.refreshed_at, ${session}.created_at)`

const hasFactor = (sql: TableFragments, session: string) => `exists (
  select from ${sql.table('factors')} f
  where f.user_id = ${session}.user_id and f.status = 'verified')`
