import { requireProvider } from '../../accounts/addresses/require-reachable.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { requireNewUserMetadataFits } from '../../accounts/lifecycle/new-user-with-address.ts'
import {
  type CodeChallenge,
  readCodeChallenge,
} from '../../accounts/one-time-tokens/code-challenge.ts'
import { type Address, readEmail, readPhone } from '../../accounts/users/addresses.ts'
import { signUpDisabled } from '../../accounts/users/user-errors.ts'
import { readOwnUsername } from '../../accounts/users/username.ts'
import { requireStrongPassword } from '../../credentials/passwords/password-policy.ts'
import { readChannel } from '../../delivery/sms/open-sms-carrier.ts'
import type { SmsChannel } from '../../delivery/sms/sms.ts'
import { allowedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { SignUpInput } from './sign-up.endpoint.ts'

/** A valid sign-up. */
export interface SignUp {
  address: Address
  password: string
  /** Null without one, and where user names are not enabled. */
  username?: string | null
  data: Record<string, unknown>
  codeChallenge: CodeChallenge | null
  channel: SmsChannel
  redirectTo: string
}

/** Reads a sign-up. The wire specifies the order of the errors. */
export async function readSignUp(
  ctx: AuthContext,
  input: Unvalidated<SignUpInput>,
): Promise<SignUp> {
  if (ctx.config.signUp.disabled) throw signUpDisabled()

  const { password } = input
  if (!password) throw validationFailed('password: Signup requires a valid password')
  await requireStrongPassword(ctx, password)
  if (input.email && input.phone) {
    throw validationFailed('Only an email address or phone number should be provided on signup.')
  }
  const username = readWantedUsername(ctx, input)
  const redirectTo = allowedRedirect(ctx, input.redirect ?? {})
  const data = input.data ?? {}
  const read = { ...readAddress(ctx, input), password, username, data, redirectTo }
  requireNewUserMetadataFits(ctx, read.address, read.data)
  return read
}

function readWantedUsername(
  { config: { usernames } }: AuthContext,
  { username }: Unvalidated<SignUpInput>,
): string | null {
  if (!usernames.enabled || username === undefined) return null
  return readOwnUsername(username, usernames.reserved)
}

function readAddress(
  ctx: AuthContext,
  input: Unvalidated<SignUpInput>,
): Pick<SignUp, 'address' | 'codeChallenge' | 'channel'> {
  if (!input.phone) {
    const codeChallenge = readCodeChallenge(input)
    requireProvider(ctx, 'email', 'signup')
    return { address: readEmail(input.email ?? ''), codeChallenge, channel: 'sms' }
  }
  const channel = readChannel(ctx.config, input.channel)
  if (input.codeChallenge) {
    throw validationFailed('code_challenge: PKCE not supported for phone signups')
  }
  requireProvider(ctx, 'phone', 'signup')
  return { address: readPhone(input.phone), codeChallenge: null, channel }
}
