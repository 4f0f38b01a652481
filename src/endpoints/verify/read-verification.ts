import type { AuthContext } from '../../accounts/auth-context.ts'
import { type Address, readEmail, readPhone } from '../../accounts/users/addresses.ts'
import { requireStrongPassword } from '../../credentials/passwords/password-policy.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { VerifyOtpInput } from './verify.endpoint.ts'

/**
 * A verification, not validated yet. `redirectTo` has no effect, and is rejected beside
 * `tokenHash`.
 */
export type VerificationRequest = Unvalidated<VerifyOtpInput> & { redirectTo?: string | undefined }

/** The verification input: the secret of a link, or a code with its address. */
export type VerificationInput =
  /** `browser` is set where a browser follows the link: its own secret, or null without one. */
  { secret: string; browser?: string | null } | { code: string; address: Address }

export interface Verification {
  type: string
  input: VerificationInput
  password: string | null
}

/** Reads a verification. The wire specifies the order of the errors. */
export async function readVerification(
  ctx: AuthContext,
  request: VerificationRequest,
): Promise<Verification> {
  const { type, token, tokenHash, password } = request
  if (!type) throw validationFailed('type: Verify requires a verification type')
  if (Boolean(token) === Boolean(tokenHash)) {
    throw validationFailed('token: Verify requires either a token or a token hash')
  }
  const input = token ? readCode(token, request) : readSecret(request)
  if (password) await requireStrongPassword(ctx, password)
  return { type, input, password: password || null }
}

function readCode(code: string, { email, phone }: VerificationRequest): VerificationInput {
  if (Boolean(email) === Boolean(phone)) {
    throw validationFailed(
      'email: Only an email address or phone number should be provided on verify',
    )
  }
  return { code, address: email ? readEmailOfCode(email) : readPhone(phone ?? '') }
}

function readEmailOfCode(email: string): Address {
  try {
    return readEmail(email)
  } catch {
    throw validationFailed('email: Invalid email format', 422)
  }
}

function readSecret({
  tokenHash = '',
  email,
  phone,
  redirectTo,
}: VerificationRequest): VerificationInput {
  if (email || phone || redirectTo) {
    throw validationFailed('token_hash: Only the token_hash and type should be provided')
  }
  return { secret: tokenHash }
}
