import type { TableFragments } from '../../platform/sql/tables.ts'
import { isBannedCondition } from '../users/ban.sql.ts'
import type { SessionLimits } from './session-limits.ts'

/**
 * The reason why a session has ended: its user is deleted or banned; reuse of a refresh token
 * revoked it; it has expired, was not renewed for too long, has not used the second factor of its
 * user in time, or a newer sign-in of the same user replaced it.
 */
export type SessionEnding =
  | 'deleted'
  | 'banned'
  | 'revoked'
  | 'expired'
  | 'inactive'
  | 'weak'
  | 'superseded'

/** The reason for a token, whose session may also not exist. */
export type TokenEnding = SessionEnding | 'unknown'

/**
 * The rules that read other rows. A statement contains them only where they are configured. As
 * conditions that a parameter disables, they made PostgreSQL plan the statement again for each
 * execution.
 */
export interface EndingRules {
  endsWeak: boolean
  singlePerUser: boolean
}

const endingRules = ({ weakSince, singlePerUser }: SessionLimits): EndingRules => ({
  endsWeak: weakSince !== null,
  singlePerUser,
})

/** The limits as a group of parameters. */
export type EndingValues = {
  now: string
  openedSince: string | null
  usedSince: string | null
  weakSince: string | null
  /** Present only if one session per user is configured. */
  tags?: string | null
}

export const endingValues = (limits: SessionLimits): EndingValues => ({
  now: limits.now.toISOString(),
  openedSince: limits.openedSince?.toISOString() ?? null,
  usedSince: limits.usedSince?.toISOString() ?? null,
  weakSince: limits.weakSince?.toISOString() ?? null,
  ...(limits.singlePerUser && { tags: limits.tags && JSON.stringify(limits.tags) }),
})

/** The placeholders of {@link EndingValues}. */
export type EndingPlaceholders = { readonly [Name in keyof EndingValues]-?: string }

/**
 * Creates a statement for each combination of rules. @returns the one for the configured limits.
 */
export function byEndingRules<Made>(
  make: (rules: EndingRules) => Made,
): (limits: SessionLimits) => Made {
  const either = (endsWeak: boolean) => ({
    true: make({ endsWeak, singlePerUser: true }),
    false: make({ endsWeak, singlePerUser: false }),
  })
  const all = { true: either(true), false: either(false) }
  return (limits) => {
    const { endsWeak, singlePerUser } = endingRules(limits)
    return all[`${endsWeak}`][`${singlePerUser}`]
  }
}

/** Returns the name of a statement with its rules. */
export const withRuleNames = (name: string, { endsWeak, singlePerUser }: EndingRules): string =>
  [name, ...(endsWeak ? ['unless_weak'] : []), ...(singlePerUser ? ['unless_overtaken'] : [])].join(
    '_',
  )

/**
 * Returns an expression for the reason why the session `s` of the user `u` has ended; null while it
 * is live. Every check of a token of a session uses it.
 */
export const endingExpression = (
  sql: TableFragments,
  rules: EndingRules,
  at: EndingPlaceholders,
): string => `(case
    when u.deleted_at is not null then 'deleted'
    when ${isBannedCondition('u', at.now)} then 'banned'
    when s.revoked_at is not null then 'revoked'
    else ${ruleExpression(sql, rules, at)} end)`

/**
 * Returns an expression for the configured rule that has ended the session `s`; null where none
 * has.
 */
export function ruleExpression(
  sql: TableFragments,
  rules: EndingRules,
  at: EndingPlaceholders,
): string {
  /**
   * Returns a condition: a session lacks the second factor that its user has, beyond the time
   * allowed. Sessions of OAuth clients are exempt: a client cannot prove a factor.
   */
  const isWeak = (session: string) =>
    `(${session}.created_at < ${at.weakSince}::timestamptz and ${session}.aal <> 'aal2'
      and ${session}.oauth_client_id is null
      and ${rules.endsWeak ? hasFactor(sql, session) : 'false'}) is true`

  /** Returns the session's own tag if it is configured, else the first configured one. */
  const tagOf = (session: string) =>
    `coalesce(case when ${at.tags}::jsonb ? ${session}.tag then ${session}.tag end,
      ${at.tags}::jsonb ->> 0, '')`

  /**
   * Returns a condition: another session with the same tag was used later, and only the last used
   * one remains. Sessions of OAuth clients are none of the user's devices.
   */
  const isOvertaken = () => `s.oauth_client_id is null and exists (
    select from ${sql.table('sessions')} o
    where o.user_id = s.user_id and o.id <> s.id and o.revoked_at is null and o.oauth_client_id is null
      and not ${isPastItsTime('o', at)} and not ${isUnused('o', at)} and not ${isWeak('o')}
      and ${tagOf('o')} = ${tagOf('s')} and ${lastUseOf('o')} > ${lastUseOf('s')})`

  return `(case
    when ${isPastItsTime('s', at)} then 'expired'
    when ${isUnused('s', at)} then 'inactive'
    when ${isWeak('s')} then 'weak'
    ${rules.singlePerUser ? `when ${isOvertaken()} then 'superseded'` : ''} end)`
}

/**
 * Returns an expression for the reason for a token of `u` with the session `s`, which is missing
 * where the outer join found none. A session that is deleted or revoked precedes a ban, which may
 * end.
 */
export const tokenEndingExpression = (
  sql: TableFragments,
  rules: EndingRules,
  at: EndingPlaceholders,
  sessionId: string,
): string => `(case
    when u.deleted_at is null and ${sessionId}::uuid is not null and s.id is null then 'unknown'
    when u.deleted_at is null and s.revoked_at is not null then 'revoked'
    else ${endingExpression(sql, rules, at)} end)`

/** The time limits of sessions, as placeholders. */
interface TimeLimits {
  now: string
  openedSince: string
  usedSince: string
}

/** Returns a condition on a session: it has reached its end or its time box. */
export const isPastItsTime = (
  session: string,
  at: Pick<TimeLimits, 'now' | 'openedSince'>,
): string =>
  `(${session}.not_after <= ${at.now} or ${session}.created_at < ${at.openedSince}::timestamptz) is true`

/** Returns a condition on a session: it was not renewed for too long. */
export const isUnused = (session: string, at: Pick<TimeLimits, 'usedSince'>): string =>
  `(${lastUseOf(session)} < ${at.usedSince}::timestamptz) is true`

/** Returns an expression for the instant of the last use of a session. */
export const lastUseOf = (session: string): string =>
  `coalesce(${session}.refreshed_at, ${session}.created_at)`

const hasFactor = (sql: TableFragments, session: string) => `exists (
  select from ${sql.table('factors')} f
  where f.user_id = ${session}.user_id and f.status = 'verified')`
