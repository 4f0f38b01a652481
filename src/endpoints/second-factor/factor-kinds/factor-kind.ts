import type { AuthContext } from '../../../accounts/auth-context.ts'
import type { CountedAttempt } from '../../../accounts/factors/count-challenge-attempt.sql.ts'
import type { ResealedSecret } from '../../../accounts/factors/factor-secret.ts'
import type { FactorChange } from '../../../accounts/factors/pass-challenge.sql.ts'
import type { StoredChallenge } from '../../../accounts/factors/store-challenge.sql.ts'
import type { Factor, User } from '../../../accounts/users/user.ts'
import type { SendLimits } from '../../../limits/send-limits.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { Random } from '../../../platform/kit/random.ts'
import type { Rows } from '../../../platform/sql/tables.ts'
import type { Unread } from '../../http/endpoint.ts'
import type { TotpEnrollment } from '../enrolled-factor.ts'
import type {
  EnrollFactorInput,
  KeyCeremony,
  VerifyFactorInput,
} from '../second-factor.endpoint.ts'

/**
 * One kind of second factor: all that differs between kinds. A new kind is a module with this interface, its line in
 * `factor-kinds.ts`, its name among the factor types of `user.ts`, and its settings.
 */
export interface FactorKind<Output extends AuthenticatorOutput = AuthenticatorOutput> {
  /** Whether users may enroll and verify factors of this kind. */
  settings(config: Config): { enrollEnabled: boolean; verifyEnabled: boolean }

  /**
   * Reads the number that an enrollment contains. Null for a kind without one.
   *
   * @throws AuthError `validation_failed` (400).
   */
  readPhone(input: Unread<EnrollFactorInput>): string | null

  /** Generates the secret that the authenticator shares with the service. Null for a kind without one. */
  newSecret(random: Random): string | null

  /** Presents the secret to the user, once. Null for a kind without one. */
  presentSecret(secret: string | null, label: SecretLabel): TotpEnrollment | null

  /**
   * Prepares a challenge: what is stored with it, and the message that it sends.
   *
   * @throws AuthError `sms_send_failed`, `validation_failed`.
   */
  prepareChallenge(ctx: AuthContext, request: ChallengeRequest): PreparedChallenge

  /**
   * Reads the authenticator output that a factor of this status requires.
   *
   * @throws AuthError `validation_failed` (400), `mfa_verification_failed` (422).
   */
  readOutput(factor: Factor, input: Pick<Unread<VerifyFactorInput>, 'code' | 'webAuthn'>): Output

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
  messageRows: Rows<'outbox_messages'>
  limits: SendLimits
  /** The WebAuthn ceremony, for the credentials that the statement found. Null for other kinds. */
  ceremony(stored: StoredChallenge): KeyCeremony | null
}

/** The code or signature submitted for a challenge. */
export interface AuthenticatorOutput {
  /** The credential that signed. Null for a code, which an attacker can guess. */
  credentialId: string | null
}

export interface VerificationAttempt<Output> {
  userId: string
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
