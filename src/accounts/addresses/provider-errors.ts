import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Address } from '../users/addresses.ts'

/** The flows that require that email or phone is enabled. */
export type ProviderPurpose = 'signup' | 'login' | 'otp' | 'message'

type Disabled = readonly [status: number, message: string]

/** The statuses and messages of the wire, which differ between the flows. */
const disabled: Record<ProviderPurpose, Record<Address['kind'], Disabled>> = {
  signup: {
    email: [400, 'Email signups are disabled'],
    phone: [400, 'Phone signups are disabled'],
  },
  login: {
    email: [422, 'Email logins are disabled'],
    phone: [422, 'Phone logins are disabled'],
  },
  otp: {
    email: [422, 'Email logins are disabled'],
    phone: [400, 'Unsupported phone provider'],
  },
  // A recovery, and a message that is sent again.
  message: {
    email: [400, 'Email logins are disabled'],
    phone: [400, 'Phone logins are disabled'],
  },
}

/** The configuration disables email or phone. */
export function providerDisabled(kind: Address['kind'], purpose: ProviderPurpose): AuthError {
  const [status, message] = disabled[purpose][kind]
  return new AuthError(`${kind}_provider_disabled`, status, message)
}

/** Email is enabled, but not sign-in by a mailed link or code. */
export const magicLinkDisabled = (): AuthError =>
  new AuthError('email_provider_disabled', 422, 'Login with magic link is disabled')
