import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../platform/sql/row-of.ts'

const PasswordAttemptSchema = defineEntity({
  name: 'PasswordAttempt',
  properties: {
    key: p.string().length(64).primary(),
    failures: p.integer(),
    lastAttempt: p.uuid(),
    attemptedAt: p.datetime().index(),
  },
})

/**
 * The password attempts in a row for one address, whether or not a user has it. The key is a hash
 * of the address, and of the network where the user usually signs in from it.
 *
 * The table is unlogged: each sign-in adds two rows and deletes them, which was two fifths of its
 * write-ahead log. A crash of PostgreSQL empties it, which no client can cause.
 */
class PasswordAttempt extends PasswordAttemptSchema.class {}
PasswordAttemptSchema.setClass(PasswordAttempt)

export { PasswordAttempt as PasswordAttemptEntity }

declare module '../platform/sql/tables.ts' {
  interface Tables {
    password_attempts: RowOf<PasswordAttempt>
  }
}
