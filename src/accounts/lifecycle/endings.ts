import type { OneTimeTokenPurpose } from '../one-time-tokens/one-time-token.entity.ts'

/** The parts of an account that end with an act. A part that is absent stays. */
export interface Ending {
  /**
   * `own`: the session of the request. `others`: all others; a request without a session ends all.
   * `weaker`: the others of the user at `aal1`, without those of OAuth clients, whose consent
   * required the factor. `substituted`: the others without a factor, those of OAuth clients
   * included, and those that a substitute for a factor, such as a trusted device, raised.
   */
  sessions?: 'all' | 'others' | 'own' | 'weaker' | 'substituted'
  /** The grants of capabilities, such as trusted devices. */
  grants?: 'all'
  /**
   * The consents of the user to applications. An attacker who knew the password may have given
   * them, or a client that added credentials before the address was confirmed.
   */
  consents?: 'all'
  /**
   * `all`: the enrolled factors. `alone`: recovery codes without another verified factor. A session
   * that stays loses the assurance that they gave it.
   */
  factors?: 'all' | 'alone'
  /** A suspended passkey is rejected until the confirmed address accepts it. */
  passkeys?: 'all' | 'suspended'
  webAuthnChallenges?: 'all'
  /** One-time tokens: all, or those for these purposes. */
  tokens?: 'all' | readonly OneTimeTokenPurpose[]
  /** Authorization codes, which a browser flow ends in. */
  codes?: 'all'
  /**
   * Changes of address that wait for a confirmation. `all`: the user row no longer contains them.
   * `waiting`: none can be confirmed. `unproved`: those without a recent proof cannot.
   */
  pendingChanges?: 'all' | 'waiting' | 'unproved'
}

const emailChange = ['email_change_new', 'email_change_current'] as const
const phoneChange = ['phone_change'] as const
/** The purposes of tokens for a change of address. */
export const addressChange = [...emailChange, ...phoneChange] as const

/**
 * The credentials of an account, which competing clients may have added before its address was
 * confirmed. An authorization code opens a session, as of a sign-in with an unverified address.
 */
const credentials = {
  sessions: 'others',
  grants: 'all',
  consents: 'all',
  factors: 'all',
  webAuthnChallenges: 'all',
  codes: 'all',
} as const

/**
 * The parts of an account that end, by cause. Statements are composed from this table, and
 * `test/endings.test.ts` compares it with the database.
 */
export const endings = {
  /** A user or operator set another password. */
  passwordChanged: {
    sessions: 'others',
    grants: 'all',
    consents: 'all',
    tokens: 'all',
    codes: 'all',
  },
  /** The stored password is replaced or removed, for any reason. */
  passwordReplaced: { grants: 'all' },
  /** The password was changed in the service that the user was imported from. */
  passwordChangedElsewhere: { sessions: 'all', grants: 'all', consents: 'all' },
  /** A user, an operator or an import gave the account another address without a message. */
  addressChanged: { tokens: 'all', codes: 'all' },
  /** The account requests another email, or none. */
  newEmailReplaced: { tokens: emailChange },
  /** The account requests another phone, or none. */
  newPhoneReplaced: { tokens: phoneChange },
  /** A link, a code or a provider proved an address of the account. */
  addressConfirmed: { tokens: 'all', codes: 'all' },
  /**
   * The account got its first confirmed address: the user may have added the credentials, or an
   * attacker. Tokens end as with any proof of an address, also where no message proves it.
   */
  firstAddressConfirmed: { ...credentials, passkeys: 'suspended', tokens: 'all' },
  /**
   * An unconfirmed account was transferred to another requester or an operator. Messages to its
   * address, as of its owner, stay valid.
   */
  reclaimed: { ...credentials, passkeys: 'all' },
  /** A sign-in with the identity may have issued the code. */
  identityUnlinked: { codes: 'all' },
  /** The attacker that a ban is meant for may have requested the change. */
  userBanned: { tokens: addressChange, pendingChanges: 'all' },
  /** An operator or a hook ended all sessions of a user. */
  sessionsRevoked: {
    sessions: 'all',
    grants: 'all',
    tokens: addressChange,
    codes: 'all',
    pendingChanges: 'all',
  },
  /** A session of the user was raised by a factor. */
  factorProved: { sessions: 'weaker' },
  /**
   * A factor was proved for the first time. Substitutes are replaced by it, and a change of address
   * now requires a recent proof.
   */
  factorVerified: { sessions: 'substituted', grants: 'all', pendingChanges: 'unproved' },
  /**
   * The account got its first verified factor. Until then, a password was sufficient to request a
   * change of address.
   */
  firstFactorVerified: { pendingChanges: 'waiting' },
  /** A verified factor was removed. */
  factorRemoved: { grants: 'all', factors: 'alone' },
  /** New recovery codes replaced others, which may be in the wrong hands. */
  recoveryCodesReplaced: { grants: 'all', pendingChanges: 'waiting' },
  /** A factor was imported. */
  factorImported: { grants: 'all' },
  signedOut: { sessions: 'own' },
  signedOutElsewhere: { sessions: 'others' },
  signedOutEverywhere: { sessions: 'all', grants: 'all' },
} as const satisfies Record<string, Ending>

export type EndingCause = keyof typeof endings

/** Returns the parts that end with several causes at once: the largest extent of each. */
export const endingOf = (causes: readonly EndingCause[]): Ending =>
  causes.map((cause): Ending => endings[cause]).reduce(both, {})

function both(one: Ending, other: Ending): Ending {
  const all = Object.entries(one).filter(([, extent]) => extent === 'all')
  const purposes = [one.tokens ?? [], other.tokens ?? []].flat() as OneTimeTokenPurpose[]
  return {
    ...one,
    ...other,
    ...((one.tokens || other.tokens) && { tokens: purposes }),
    ...(other.tokens === 'all' && { tokens: 'all' }),
    ...(one.pendingChanges === 'waiting' &&
      other.pendingChanges === 'unproved' && { pendingChanges: 'waiting' }),
    ...Object.fromEntries(all),
  }
}
