import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'
import { confirmedKinds, isEstablished } from '../users/established-address.ts'
import type { User } from '../users/user.ts'

type Needs = Pick<AuthContext, 'clock' | 'config'>

/**
 * Returns the address that the nonces of a user are sent to: the email, else the phone, if it is
 * confirmed. An established one is preferred.
 *
 * @returns `too_new` where new passwords are restricted and no confirmed address is established: a
 *   nonce permits one. Null without a confirmed address.
 */
export function nonceRecipient(ctx: Needs, user: User): Address | 'too_new' | null {
  const now = ctx.clock.now()
  const confirmed = confirmedKinds(user).flatMap((kind) => {
    const value = user[kind]
    return value === null ? [] : [{ kind, value }]
  })
  const established = confirmed.find(({ kind }) => isEstablished(user, kind, now))
  const [first = null] = confirmed
  return established ?? (first && restrictsNewPasswords(ctx) ? 'too_new' : first)
}

/** Returns whether a new password requires a reauthentication or the current one. */
export function restrictsNewPasswords({ config }: Pick<Needs, 'config'>): boolean {
  const { requireReauthentication, requireCurrentPassword } = config.security.passwordUpdate
  return requireReauthentication || requireCurrentPassword
}
