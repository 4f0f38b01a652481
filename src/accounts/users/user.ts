import type { FactorType } from '../../platform/factor-kinds/factor-kinds.ts'

/** A user's account at one provider. */
export interface Identity {
  /** The id of the row. */
  id: string
  /** The id at the provider; for `email` and `phone` the user's own id. */
  subject: string
  userId: string
  /** `email`, `phone`, or the name of an external provider. */
  provider: string
  /** The claims of the provider about the user. */
  identityData: Record<string, unknown>
  lastSignInAt: Date | null
  /**
   * The time since which it is rejected, until the account's address confirms it; null for one in
   * use.
   */
  suspendedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** The maximum number of identities of a user: each of the user's records contains all of them. */
export const maxIdentities = 50

/**
 * Returns whether an identity signs its user in: the address of the account does not have to
 * confirm it first.
 */
export const isInUse = ({ suspendedAt }: Pick<Identity, 'suspendedAt'>): boolean =>
  suspendedAt === null

/** Returns whether an identity is an address of the user, and not an account at a provider. */
export const isAddressIdentity = <One extends Pick<Identity, 'provider'>>(
  identity: One,
): identity is One & { provider: 'email' | 'phone' } =>
  identity.provider === 'email' || identity.provider === 'phone'

/** A second factor, without its secrets. */
export interface Factor {
  id: string
  factorType: FactorType
  /** `verified` once its output was accepted. Only then does it count. */
  status: 'unverified' | 'verified'
  friendlyName: string | null
  /** The digits of E.164, without `+`; null unless it is a phone. */
  phone: string | null
  lastChallengedAt: Date | null
  /**
   * The time at which it was added or replaced without a recent proof; null where there was one.
   */
  addedWithoutProofAt: Date | null
  /** The model of a security key, where it is known. */
  webAuthnAaguid: string | null
  createdAt: Date
  updatedAt: Date
}

/**
 * The number of a user's recovery codes. The codes themselves are shown once, when they are
 * generated.
 */
export interface RecoveryCodesStatus {
  /** The id of the set, which is one factor. An operator removes the set by it. */
  id: string
  /** The number of codes that were generated together. */
  total: number
  /** The number of unused codes. */
  remaining: number
}

/** A user as read: the record, its identities and factors, without the password's hash. */
export interface User {
  id: string
  audience: string
  role: string
  /** In lower case. */
  email: string | null
  /** The digits of E.164, without `+`. */
  phone: string | null
  /** In NFKC and lower case. A sign-up does not hold it before the confirmation. */
  username: string | null
  emailConfirmedAt: Date | null
  phoneConfirmedAt: Date | null
  invitedAt: Date | null
  confirmationSentAt: Date | null
  recoverySentAt: Date | null
  /** The address that replaces `email` once it is confirmed. */
  newEmail: string | null
  emailChangeSentAt: Date | null
  /** The address of a change that has confirmed it, while the other one has not. */
  emailChangeConfirmedBy: 'current' | 'new' | null
  newPhone: string | null
  phoneChangeSentAt: Date | null
  /**
   * The newest proof of the session that requested a pending change of address, if it was not
   * recent; else null.
   */
  changeProvedAt: Date | null
  /**
   * The time at which the account got its email, if it was created without it; null for the first
   * way to sign in, as of an anonymous user.
   */
  emailChangedAt: Date | null
  /** The time at which the account got its phone, under the conditions of `emailChangedAt`. */
  phoneChangedAt: Date | null
  reauthenticationSentAt: Date | null
  lastSignInAt: Date | null
  /** Metadata from the service and its operators. The user cannot change it. */
  appMetadata: Record<string, unknown>
  /** Metadata from the user. No decision about access may depend on it. */
  userMetadata: Record<string, unknown>
  isAnonymous: boolean
  /**
   * Whether an identity provider of an organization authenticates the user. Other users may have
   * the same addresses.
   */
  isSsoUser: boolean
  bannedUntil: Date | null
  deletedAt: Date | null
  createdAt: Date
  updatedAt: Date
  /** Oldest first; so are the factors. */
  identities: Identity[]
  factors: Factor[]
}

/** Returns whether an account has another email or phone after a change. */
export const hasOtherAddress = (before: User, after: User): boolean =>
  before.email !== after.email || before.phone !== after.phone

/** The fields that are null in a new user. A field that users may lack is listed here once. */
export const unsetFields = {
  email: null,
  phone: null,
  username: null,
  emailConfirmedAt: null,
  phoneConfirmedAt: null,
  invitedAt: null,
  confirmationSentAt: null,
  recoverySentAt: null,
  newEmail: null,
  emailChangeSentAt: null,
  emailChangeConfirmedBy: null,
  newPhone: null,
  phoneChangeSentAt: null,
  changeProvedAt: null,
  emailChangedAt: null,
  phoneChangedAt: null,
  reauthenticationSentAt: null,
  lastSignInAt: null,
  bannedUntil: null,
  deletedAt: null,
} as const satisfies Partial<User>

/** Returns whether the account has an address, confirmed or not. */
export const hasAddress = ({ email, phone }: Pick<User, 'email' | 'phone'>): boolean =>
  email !== null || phone !== null

/** Returns whether any address of the account is confirmed. */
export const hasConfirmedAddress = ({
  emailConfirmedAt,
  phoneConfirmedAt,
}: Pick<User, 'emailConfirmedAt' | 'phoneConfirmedAt'>): boolean =>
  emailConfirmedAt !== null || phoneConfirmedAt !== null

/** Returns whether this address of the account is confirmed. */
export const hasConfirmed = (
  user: Pick<User, 'emailConfirmedAt' | 'phoneConfirmedAt'>,
  kind: 'email' | 'phone',
): boolean => (kind === 'email' ? user.emailConfirmedAt : user.phoneConfirmedAt) !== null

/** Returns whether an identity of the user is neither suspended nor an unconfirmed address. */
export const hasUsableIdentity = (user: User): boolean =>
  user.identities.some(
    (one) => isInUse(one) && (!isAddressIdentity(one) || hasConfirmed(user, one.provider)),
  )

/**
 * Returns whether control of an address of the account gives access to it. An unconfirmed address
 * gives none where another one is confirmed: its recipient need not be the owner of the confirmed
 * one.
 */
export const isOpenedBy = (user: User, kind: 'email' | 'phone'): boolean =>
  hasConfirmed(user, kind) || !hasConfirmedAddress(user)

/** Returns whether the user has a verified second factor. */
export const hasVerifiedFactor = ({
  factors,
}: {
  factors: readonly Pick<Factor, 'status'>[]
}): boolean => factors.some(({ status }) => status === 'verified')

/**
 * Returns whether the user has a second factor, and the session or token is at `aal1`. A substitute
 * for a factor, such as a trusted device, suffices; `needsFactorProof` requires a factor.
 */
export const needsAal2 = (
  user: Parameters<typeof hasVerifiedFactor>[0],
  aal: string | undefined,
): boolean => aal !== 'aal2' && hasVerifiedFactor(user)

/**
 * Returns whether a factor is a set of recovery codes. A user's codes are one factor, and never the
 * only one.
 */
export const isRecoveryCodes = ({ factorType }: Pick<Factor, 'factorType'>): boolean =>
  factorType === 'recovery_code'

/** Returns whether the user is banned now. `isBannedCondition` is the same rule in SQL. */
export const isBanned = ({ bannedUntil }: Pick<User, 'bannedUntil'>, now: Date): boolean =>
  bannedUntil !== null && now < bannedUntil
