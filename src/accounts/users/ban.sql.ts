/**
 * Returns `isBanned` of `user.ts` as a condition, which is never null. `ban.test.ts` compares both.
 *
 * @param user the alias of the row.
 * @param now an expression for the present instant.
 */
export const isBannedCondition = (user: string, now: string): string =>
  `coalesce(${user}.banned_until > ${now}, false)`
