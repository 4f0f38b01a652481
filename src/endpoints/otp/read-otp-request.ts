import { magicLinkDisabled } from '../../accounts/addresses/provider-errors.ts'
import { requireProvider } from '../../accounts/addresses/require-reachable.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { requireNewUserMetadataFits } from '../../accounts/lifecycle/new-user-with-address.ts'
import {
  type CodeChallenge,
  readCodeChallenge,
} from '../../accounts/one-time-tokens/code-challenge.ts'
import { type Address, readEmail, readPhone } from '../../accounts/users/addresses.ts'
import { otpDisabled } from '../../accounts/users/user-errors.ts'
import { readChannel } from '../../delivery/sms/open-sms-carrier.ts'
import type { SmsChannel } from '../../delivery/sms/sms.ts'
import { allowedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { SignInWithOtpInput } from './otp.endpoint.ts'

/** A valid request for a code or link. */
export interface OtpRequest {
  address: Address
  createUser: boolean
  data: Record<string, unknown>
  channel: SmsChannel
  codeChallenge: CodeChallenge | null
  redirectTo: string
}

/** Reads a request for a code. The wire specifies the order of the errors. */
export function readOtpRequest(
  ctx: AuthContext,
  input: Unvalidated<SignInWithOtpInput>,
): OtpRequest {
  if (input.email && input.phone) {
    throw validationFailed('Only an email address or phone number should be provided')
  }
  if (input.email && input.channel) {
    throw validationFailed('channel: Channel should only be specified with Phone OTP')
  }
  const codeChallenge = readCodeChallenge(input)
  if (!input.email && !input.phone) {
    throw validationFailed('email: One of email or phone must be set')
  }
  const createUser = input.createUser ?? true
  const address = readAddress(ctx, input, createUser)
  const data = input.data ?? {}
  requireNewUserMetadataFits(ctx, address, data)
  return {
    address,
    createUser,
    data,
    channel: readChannel(ctx.config, input.channel),
    codeChallenge,
    redirectTo: allowedRedirect(ctx, input.redirect ?? {}),
  }
}

function readAddress(
  ctx: AuthContext,
  { email, phone }: Unvalidated<SignInWithOtpInput>,
  createUser: boolean,
): Address {
  try {
    return email ? readOtpEmail(ctx, email) : readOtpPhone(ctx, phone ?? '')
  } catch (error) {
    // A malformed address has no user.
    const isMalformed = error instanceof AuthError && error.code === 'validation_failed'
    throw isMalformed && !createUser ? otpDisabled() : error
  }
}

function readOtpEmail(ctx: AuthContext, email: string): Address {
  requireProvider(ctx, 'email', 'otp')
  if (!ctx.config.email.magicLinkEnabled) throw magicLinkDisabled()
  return readEmail(email)
}

function readOtpPhone(ctx: AuthContext, phone: string): Address {
  requireProvider(ctx, 'phone', 'otp')
  return readPhone(phone)
}
