import type { TableFragments } from '../../platform/sql/tables.ts'
import type { SessionLimits } from './session-limits.ts'
import { isPastItsTime, isUnused, lastUseOf } from './session-time.sql.ts'

/**
 * The reason why a session no longer counts: its user is deleted or banned; reuse of a refresh token revoked it; it is
 * past its time, was not renewed for too long, has not shown the second factor of its user in time, or a newer sign-in of
 * the same user replaced it.
 */
export type SessionEnding =
  | 'deleted'
  | 'banned'
  | 'revoked'
  | 'expired'
  | 'inactive'
  | 'weak'
  | 'superseded'

/** The same for a token: the session that it names may not exist. */
export type TokenEnding = SessionEnding | 'unknown'

/**
 * The rules that read other rows. A text contains these only where they are configured: as conditions that a
 * parameter switches off they made PostgreSQL plan the statement again each time, in the hope of leaving
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

/** Makes a statement for each combination of rules. @returns the one for the configured limits. */
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

/** The rules as part of the name of a statement. */
export const withRuleNames = (name: string, { endsWeak, singlePerUser }: EndingRules): string =>
  [name, ...(endsWeak ? ['unless_weak'] : []), ...(singlePerUser ? ['unless_overtaken'] : [])].join(
    '_',
  )

/**
 * An expression for the reason why the session `s` of the user `u` has ended; null while it is live. Everything that
 * accepts a token of a session decides by it.
 */
export const endingExpression = (
  sql: TableFragments,
  rules: EndingRules,
  at: EndingPlaceholders,
): string => `(case
    when u.deleted_at is not null then 'deleted'
    when u.banned_until > ${at.now} then 'banned'
    when s.revoked_at is not null then 'revoked'
    else ${ruleExpression(sql, rules, at)} end)`

/** An expression for the configured rule that has ended the session `s`, by itself; null where none has. */
export function ruleExpression(
  sql: TableFragments,
  rules: EndingRules,
  at: EndingPlaceholders,
): string {
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
      and not ${isPastItsTime('o', at)} and not ${isUnused('o', at)} and not ${isWeak('o')}
      and ${tagOf('o')} = ${tagOf('s')} and ${lastUseOf('o')} > ${lastUseOf('s')})`

  return `(case
    when ${isPastItsTime('s', at)} then 'expired'
    when ${isUnused('s', at)} then 'inactive'
    when ${isWeak('s')} then 'weak'
    ${rules.singlePerUser ? `when ${isOvertaken()} then 'superseded'` : ''} end)`
}

/**
 * The same for a token of `u` that names the session `s`, which is missing where the outer join found none. A session that
 * is deleted or revoked precedes a ban, which may end.
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

const hasFactor = (sql: TableFragments, session: string) => `exists (
  select from ${sql.table('factors')} f
  where f.user_id = ${session}.user_id and f.status = 'verified')`
