import type { AuthContext } from '../../deps.ts'
import { endingExpression } from '../../sessions/session-ending.sql.ts'
import { sessionLimits } from '../../sessions/session-limits.ts'
import { type Placeholders, statement } from '../../sql/statement.ts'
import type { TableFragments } from '../../sql/tables.ts'
import { type OwnerRow, ownerPairs } from './owner.ts'

/** The user whose key it is, as stored at this moment. */
export interface KeyHolder extends Omit<OwnerRow, 'id'> {
  userId: string
  /** Null for one who never owned a page. */
  ownerId: number | null
}

/** What a key is held against: a group of parameters. */
export type KeyCheck = {
  keyHash: string
  now: string
  adminRoles: string
  openedSince: string | null
  usedSince: string | null
  weakSince: null
  /** There only if one session per user is wanted. */
  tags?: string | null
}

export function keyCheck({ clock, config }: AuthContext, keyHash: string): KeyCheck {
  const now = clock.now()
  const { openedSince, usedSince, singlePerUser, tags } = sessionLimits(config.sessions, now)
  return {
    keyHash,
    now: now.toISOString(),
    adminRoles: JSON.stringify(config.jwt.adminRoles),
    openedSince: openedSince?.toISOString() ?? null,
    usedSince: usedSince?.toISOString() ?? null,
    weakSince: null,
    ...(singlePerUser && { tags: tags && JSON.stringify(tags) }),
  }
}

/** Makes a statement for either rule of the configuration: see `EndingRules`. */
export const byRule = <Made>(make: (singlePerUser: boolean) => Made) => {
  const [one, any] = [make(true), make(false)]
  return ({ config }: AuthContext): Made => (config.sessions.singlePerUser ? one : any)
}

/**
 * A query for the holder of a key, as `holder`; no row unless everything holds that made it good: the key has not
 * expired, its session goes on, and the user is there, an operator, not banned, and without a second factor, which a
 * log-in by password does not show.
 */
export const holderQuery = (
  sql: TableFragments,
  $: Placeholders<KeyCheck>,
  singlePerUser: boolean,
): string => `
  select json_build_object('userId', u.id, 'ownerId', o.id, ${ownerPairs('u')}) as holder
  from ${sql.table('subscribe_page_keys')} k
  join ${sql.table('sessions')} s on s.id = k.session_id
  join ${sql.table('users')} u on u.id = s.user_id
  left join ${sql.table('subscribe_page_owners')} o on o.user_id = u.id
  where k.key_hash = ${$.keyHash} and k.expires_at > ${$.now} and s.revoked_at is null
    and u.deleted_at is null and (u.banned_until is null or u.banned_until <= ${$.now})
    and ${$.adminRoles}::jsonb ? u.role
    and not exists (
      select from ${sql.table('factors')} f where f.user_id = u.id and f.status = 'verified')
    and ${endingExpression(sql, { endsWeak: false, singlePerUser }, $)} is null`

const findFor = byRule((singlePerUser) =>
  statement<KeyCheck, { holder: KeyHolder }>('find_key_holder', (sql, $) =>
    holderQuery(sql, $, singlePerUser),
  ),
)

/** Whose key it is; null for one that opens nothing, or nothing any more. */
export async function findKeyHolder(ctx: AuthContext, keyHash: string): Promise<KeyHolder | null> {
  const [row] = await ctx.sql.query(findFor(ctx), keyCheck(ctx, keyHash))
  return row?.holder ?? null
}
