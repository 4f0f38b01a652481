/**
 * Returns a condition: an address or user name finds the row. Users of single sign-on are not
 * found: other users may have the same address.
 *
 * Statements over many rows test `is_sso_user` alone, so that an index of addresses suffices: a
 * soft deletion replaces the addresses by hashes, and no address finds such a row.
 *
 * @param user the alias of the row.
 */
export const isFoundByAddress = (user: string): string =>
  `(not ${user}.is_sso_user and ${user}.deleted_at is null)`
