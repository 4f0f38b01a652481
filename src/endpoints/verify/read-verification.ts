import type { AuthContext } from '../../accounts/auth-context.ts'
import { type Address, readEmail, readPhone } from '../../accounts/users/addresses.ts'
import { requireStrongPassword } from '../../credentials/passwords/password-policy.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unread } from '../http/endpoint.ts'
import type { VerifyOtpInput } from './verify.endpoint.ts'

/** A verification as it was sent. `redirectTo` is of no use, and refused beside `tokenHash`. */
export type VerificationInput = Unread<VerifyOtpInput> & { redirectTo?: string | undefined }

/** What somebody brings as a proof. A browser that follows a link says nothing of the application that is meant. */
export type Evidence =
  /** `browser` where one follows the link: its own secret, or null without. */
  { secret: string; browser?: string | null } | { code: string; address: Address }

export interface Verification {
  type: string
  evidence: Evidence
  password: string | null
}

/** Checks a verification, in the order in which the wire promises its errors. */
export async function readVerification(
  ctx: AuthContext,
  input: VerificationInput,
): Promise<Verification> {
  if (!input.type) throw validationFailed('type: Verify requires a verification type')
  if (Boolean(input.token) === Boolean(input.tokenHash)) {
    throw validationFailed('token: Verify requires either a token or a token hash')
  }
  const evidence = input.token ? readCode(input.token, input) : readSecret(input)
  if (input.password) await requireStrongPassword(ctx, input.password)
  return { type: input.type, evidence, password: input.password || null }
}

function readCode(code: string, { email, phone }: VerificationInput): Evidence {
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

function readSecret({ tokenHash = '', email, phone, redirectTo }: VerificationInput): Evidence {
  if (email || phone || redirectTo) {
    throw validationFailed('token_hash: Only the token_hash and type should be provided')
  }
  return { secret: tokenHash }
}
