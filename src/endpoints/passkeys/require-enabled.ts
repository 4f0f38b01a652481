import { passkeyDisabled, passkeySignUpDisabled } from '../../accounts/passkeys/passkey-errors.ts'
import { signUpDisabled } from '../../accounts/users/user-errors.ts'
import type { Config } from '../../platform/config/config.ts'

/**
 * Rejects every caller where no user signs in by passkey.
 *
 * @throws AuthError `passkey_disabled` (404).
 */
export function requirePasskeys({ config }: { config: Config }): void {
  if (!config.passkeys.enabled) throw passkeyDisabled()
}

/**
 * Rejects every caller where no user signs up by a passkey alone.
 *
 * @throws AuthError `passkey_disabled` (404), `signup_disabled` (422).
 */
export function requireSignUp(ctx: { config: Config }): void {
  requirePasskeys(ctx)
  const { signUp, passkeys } = ctx.config
  if (signUp.disabled) throw signUpDisabled()
  if (!passkeys.signUpEnabled) throw passkeySignUpDisabled()
}
