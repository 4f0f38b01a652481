import type { TableFragments } from '../../platform/sql/tables.ts'

// Changes of address in statements of users and of factors.

/** A condition: the one-time token `t` is for a change of address. */
export const isForChange = `t.purpose in ('email_change_new', 'email_change_current', 'phone_change')`

/**
 * Returns common table expressions that revoke the changes of address which a user requested
 * without a recent proof. The new addresses stay on record, as after a change of password.
 *
 * @param userId an expression for the id of the user.
 * @param condition decides whether they are revoked.
 */
export const voidChangesWithoutProof = (
  sql: TableFragments,
  userId: string,
  condition: string,
): string => `void_changes as (
      update ${sql.table('users')} u set email_change_sent_at = null, phone_change_sent_at = null,
        email_change_confirm_status = 0, change_proved_at = null, version = u.version + 1
      where u.id = ${userId} and u.change_proved_at is not null and ${condition}
      returning u.id
    ), void_change_tokens as (
      delete from ${sql.table('one_time_tokens')} t using void_changes c
      where t.user_id = c.id and ${isForChange}
    )`
