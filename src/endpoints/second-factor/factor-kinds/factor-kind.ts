import type { AuthContext } from '../../../accounts/auth-context.ts'
import type { Caller } from '../../../accounts/callers/authenticate-caller.ts'
import type { CountedAttempt, StoredChallenge } from '../../../accounts/factors/challenges.sql.ts'
import type { ResealedSecret } from '../../../accounts/factors/factor-secret.ts'
import type { FactorChange } from '../../../accounts/lifecycle/pass-challenge.sql.ts'
import type { Factor, User } from '../../../accounts/users/user.ts'
import type { OutboxRow } from '../../../delivery/outbox/outbox-row.ts'
import type { SendLimits } from '../../../limits/send-limits.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import type { Random } from '../../../platform/kit/random.ts'
import type { Unvalidated } from '../../http/endpoint.ts'
import type {
  EnrollFactorInput,
  KeyCeremony,
  TotpEnrollment,
  VerifyFactorInput,
} from '../second-factor.endpoint.ts'

/**
 * One kind of second factor: its behaviour in the endpoints. The facts from which settings,
 * errors, mails and the wire derive are its declaration in `src/platform/factor-kinds/`. A new kind
 * is a module with this interface, its declaration, and a line for each in `factor-kinds.ts` of
 * both folders.
 */
export interface FactorKind<Output extends AuthenticatorOutput = AuthenticatorOutput> {
  /**
   * Rejects a caller who may not use this kind, for a reason in the account or the session. It
   * runs before a factor is enrolled, challenged and verified, and again on the caller as read
   * under the lock.
   *
   * @throws AuthError the errors that the declaration lists.
   */
  requireUsable?(ctx: Pick<AuthContext, 'carriers' | 'config'>, caller: Caller): void

  /**
   * Reads the number that an enrollment contains. Absent for a kind without one.
   *
   * @throws AuthError `validation_failed` (400).
   */
  readPhone?(input: Unvalidated<EnrollFactorInput>): string

  /**
   * Whether a factor of this kind has the same authenticator as an enrollment. The enrollment
   * then replaces it, or is rejected where it is verified. Absent for a kind whose authenticators
   * cannot be compared.
   */
  isSameAuthenticator?(factor: Factor, enrollment: { phone: string | null }): boolean

  /** The address that receives the codes of a factor. Absent for a kind that sends none. */
  recipientOf?(user: User, factor: Factor): string | null

  /**
   * Generates the secret that the authenticator shares with the service. Absent for a kind without
   * one.
   */
  newSecret?(random: Random): string

  /** Presents the secret to the user, once. */
  presentSecret?(secret: string, label: SecretLabel): Promise<TotpEnrollment>

  /**
   * Prepares a challenge: the values stored with it, and its message.
   *
   * @throws AuthError `validation_failed`, and the errors that the declaration lists.
   */
  prepareChallenge(ctx: AuthContext, request: ChallengeRequest): PreparedChallenge

  /**
   * Reads the authenticator output that a factor of this status requires.
   *
   * @throws AuthError `validation_failed` (400), `mfa_verification_failed` (422).
   */
  readOutput(
    factor: Factor,
    input: Pick<Unvalidated<VerifyFactorInput>, 'code' | 'webAuthn'>,
  ): Output

  /** Verifies the output, once the attempt is counted. Returns null when it is wrong. */
  verify(ctx: AuthContext, attempt: VerificationAttempt<Output>): Promise<VerifiedOutput | null>
}

/** The names that an authenticator app displays. */
export interface SecretLabel {
  /** The service. */
  issuer: string
  /** The account. */
  user: string
}

export interface ChallengeRequest {
  challengeId: string
  user: User
  factor: Factor
  expiresAt: Date
  /** The requested channel of a message: `sms` or `whatsapp`. */
  channel: string | undefined
}

export interface PreparedChallenge {
  codeHash: string | null
  challengeHash: string | null
  messages: readonly OutboxRow[]
  limits: SendLimits
  /**
   * The WebAuthn ceremony, for the credentials that the statement found. Absent for other kinds.
   */
  ceremony?(stored: StoredChallenge): KeyCeremony
}

/** The code or signature submitted for a challenge. */
export interface AuthenticatorOutput {
  /** The credential that signed. Null for a code, which an attacker can guess. */
  credentialId: string | null
}

export interface VerificationAttempt<Output> {
  user: User
  factor: Factor
  output: Output
  counted: CountedAttempt
}

/** A correct output: the factor that it proves, and what it changes there. */
export interface VerifiedOutput {
  factorId: string
  change: FactorChange | null
  /** The secret of the factor, where a former root key sealed it. */
  resealed?: ResealedSecret | null
}

/** A code, from an app or from a message. */
export interface CodeOutput extends AuthenticatorOutput {
  credentialId: null
  code: string
}

/** @throws AuthError `validation_failed` (400) without a code. */
export function readCode(_factor: Factor, { code }: { code?: unknown }): CodeOutput {
  if (typeof code !== 'string' || code === '') {
    throw validationFailed('code: Code needs to be non-empty')
  }
  return { credentialId: null, code: code.trim() }
}
