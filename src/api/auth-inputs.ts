import type { ResendType } from '../flows/resend/resend-types.ts'
import type { ProofType } from '../flows/verify/proof-type.ts'
import type { SignOutScope } from '../sessions/end-sessions.sql.ts'

/** Where a mailed link leads, and what it ends in. */
export interface LinkOptions {
  /** Where people are sent: a URL that `explainRedirect` allows. Any other counts as the default, the site. */
  redirectTo?: string | undefined
  /**
   * Makes the link end in a code for `exchangeCodeForSession`, in place of a session. 43 to 128
   * characters. @see RFC 7636 §4.2
   */
  codeChallenge?: string | undefined
  /** Given with a challenge, and only then. */
  codeChallengeMethod?: 's256' | 'plain' | undefined
}

/** A sign-in by password. Exactly one of `email` and `phone` is given. */
export interface SignInInput {
  email?: string | undefined
  phone?: string | undefined
  password: string
}

export interface SignUpInput extends SignInInput, LinkOptions {
  /** Becomes the user's metadata. */
  data?: Record<string, unknown> | undefined
  /** How a phone is reached: `sms`, the default, or `whatsapp`. */
  channel?: string | undefined
}

/** A sign-in by code or link. Exactly one of `email` and `phone` is given. */
export interface SignInWithOtpInput extends LinkOptions {
  email?: string | undefined
  phone?: string | undefined
  /** Whether an address that nobody has is signed up. Default true. */
  createUser?: boolean | undefined
  /** Becomes the metadata of a new user. */
  data?: Record<string, unknown> | undefined
  /** How a phone is reached: `sms`, the default, or `whatsapp`. */
  channel?: string | undefined
}

export interface ResetPasswordInput extends LinkOptions {
  email: string
}

export interface ResendInput extends LinkOptions {
  type: ResendType
  /** The user's address at present, for a change too; exactly one of the two. */
  email?: string | undefined
  phone?: string | undefined
}

/** A code with the address that it was sent to, or the secret of a link alone. */
export interface VerifyOtpInput {
  /** What was asked for; `email` stands for whatever the mail was about. */
  type: ProofType | 'email'
  /** The code. */
  token?: string | undefined
  /** With a code, exactly one of the two. */
  email?: string | undefined
  phone?: string | undefined
  /** The secret of a link, in place of a code: what the link has as its `token`. */
  tokenHash?: string | undefined
  /** Becomes the password of a user who has none. */
  password?: string | undefined
}

/** The three parameters of a link in a mail. */
export interface FollowLinkInput {
  type: string
  token: string
  redirectTo?: string | undefined
}

export interface CodeExchangeInput {
  /** What the link put into the query as `code`. */
  authCode: string
  /** What the code challenge was made of. */
  codeVerifier: string
}

export interface UpdateUserInput extends LinkOptions {
  accessToken: string
  /** Becomes the user's once the links are followed, or a code is verified, that are mailed to it. */
  email?: string | undefined
  /** In E.164. Becomes the user's once the code is verified that is sent to it. */
  phone?: string | undefined
  /** How a new phone is reached: `sms`, the default, or `whatsapp`. */
  channel?: string | undefined
  password?: string | undefined
  /** The password until now, where the configuration asks for it. */
  currentPassword?: string | undefined
  /** The code that `reauthenticate` sent, where the configuration asks for it. */
  nonce?: string | undefined
  /** Merged into the user's metadata; null removes a key. */
  data?: Record<string, unknown> | undefined
}

export interface DeleteOwnUserInput {
  accessToken: string
  /** Of the user, who has one. */
  password?: string | undefined
  /** The code that `reauthenticate` sent. */
  nonce?: string | undefined
}

/** Whoever has the token. */
export interface BearerInput {
  accessToken: string
}

export interface EnrollFactorInput extends BearerInput {
  factorType: 'totp' | 'phone'
  /** What the user calls it. No two factors of a user have the same name, nor both none. */
  friendlyName?: string | undefined
  /** With `totp`: what the app calls the service. Default: the host of the site. */
  issuer?: string | undefined
  /** With `phone`: the number, in E.164. */
  phone?: string | undefined
}

export interface FactorInput extends BearerInput {
  factorId: string
}

export interface ChallengeFactorInput extends FactorInput {
  /** How a phone is reached: `sms`, the default, or `whatsapp`. */
  channel?: string | undefined
}

export interface VerifyFactorInput extends FactorInput {
  /** From `challengeFactor`. */
  challengeId: string
  /** What the app shows, or what was sent to the phone. */
  code: string
}

export interface SignOutInput extends BearerInput {
  /** Default `global`. */
  scope?: SignOutScope | undefined
}
