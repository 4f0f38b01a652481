import { requireProvider } from '../../accounts/addresses/require-reachable.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type CodeChallenge,
  readCodeChallenge,
} from '../../accounts/one-time-tokens/code-challenge.ts'
import { type Address, readEmail, readPhone } from '../../accounts/users/addresses.ts'
import { allowedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import { type ResendInput, type ResendType, resendTypes } from './resend.endpoint.ts'

/** A valid request to resend a message. */
export interface Resend {
  type: ResendType
  address: Address
  codeChallenge: CodeChallenge | null
  redirectTo: string
}

/** Reads a request to resend a message. The wire specifies the order of the errors. */
export function readResend(ctx: AuthContext, input: Unvalidated<ResendInput>): Resend {
  const type = resendTypes.find((one) => one === input.type)
  if (!type) {
    throw validationFailed(`type: Missing one of these types: ${resendTypes.join(', ')}`)
  }
  const isMailed = type === 'signup' || type === 'email_change'
  const codeChallenge = isMailed ? readCodeChallenge(input) : null
  if (type === 'signup' && !input.email) {
    throw validationFailed('email: Type provided requires an email address')
  }
  if (type === 'sms' && !input.phone) {
    throw validationFailed('phone: Type provided requires a phone number')
  }
  const address = readAddress(ctx, input)
  return { type, address, codeChallenge, redirectTo: allowedRedirect(ctx, input.redirect ?? {}) }
}

function readAddress(ctx: AuthContext, { email, phone }: Unvalidated<ResendInput>): Address {
  if (email && phone) {
    throw validationFailed('Only an email address or phone number should be provided.')
  }
  if (email) {
    requireProvider(ctx, 'email', 'message')
    return readEmail(email)
  }
  if (!phone) throw validationFailed('email: Missing email address or phone number')
  requireProvider(ctx, 'phone', 'message')
  return readPhone(phone)
}
