import { AuthError } from '../../platform/errors/auth-error.ts'
import { conflict, validationFailed } from '../../platform/errors/request-errors.ts'

export const userAlreadyExists = (status: 400 | 422): AuthError =>
  new AuthError('user_already_exists', status, 'User already registered')

const emailTaken = 'A user with this email address has already been registered'

export const emailExists = (): AuthError => new AuthError('email_exists', 422, emailTaken)

export const phoneExists = (): AuthError =>
  new AuthError('phone_exists', 422, 'Phone number already registered by another user')

/** The message of `PUT /user`. */
export const newPhoneExists = (): AuthError =>
  new AuthError('phone_exists', 422, 'A user with this phone number has already been registered')

export const usernameExists = (): AuthError =>
  new AuthError('username_exists', 422, 'username: This user name is taken')

export const usernameReserved = (): AuthError =>
  validationFailed('username: This user name is reserved', 422)

/** A concurrent request changed the user between the check and the write. */
export const changedMeanwhile = (): AuthError => conflict('The user was changed meanwhile')

export const userBannedAtSignIn = (): AuthError =>
  new AuthError('user_banned', 400, 'User is banned')

export const userBanned = (): AuthError => new AuthError('user_banned', 403, 'User is banned')

export const userNotFound = (): AuthError => new AuthError('user_not_found', 404, 'User not found')

/** No invitation has this secret. */
export const invitationNotFound = (): AuthError =>
  new AuthError('user_not_found', 404, 'User identified by token not found')

/** The invitation of a flow was accepted or revoked, or it has expired. */
export const invitationExpired = (): AuthError =>
  new AuthError('invite_not_found', 404, 'Invite not found')

/** A token is about a user who no longer exists. */
export const subjectNotFound = (): AuthError =>
  new AuthError('user_not_found', 403, 'User from sub claim in JWT does not exist')

export const emailNotConfirmed = (): AuthError =>
  new AuthError('email_not_confirmed', 400, 'Email not confirmed')

export const phoneNotConfirmed = (): AuthError =>
  new AuthError('phone_not_confirmed', 400, 'Phone not confirmed')

export const notAdmin = (message = 'User not allowed'): AuthError =>
  new AuthError('not_admin', 403, message)

export const userIdExists = (): AuthError =>
  new AuthError('user_already_exists', 422, 'A user with this id has already been registered')

/** The identity provider of an organization manages the account: see `User.isSsoUser`. */
export const userSsoManaged = (
  message = 'Updating email, phone, password of a SSO account only possible via SSO',
): AuthError => new AuthError('user_sso_managed', 422, message)

export const identityExists = (): AuthError =>
  new AuthError('identity_already_exists', 422, 'Identity is already linked to another user')

/** The user already has this identity. */
export const identityLinkedAlready = (): AuthError =>
  new AuthError('identity_already_exists', 422, 'Identity is already linked')

export const tooManyIdentities = (): AuthError =>
  new AuthError('too_many_identities', 422, 'Maximum number of identities reached')

export const manualLinkingDisabled = (): AuthError =>
  new AuthError('manual_linking_disabled', 404, 'Manual linking is disabled')

/** Other users have all addresses of an identity. */
export const emailExistsAtLinking = (): AuthError => new AuthError('email_exists', 400, emailTaken)

/** The identity is linked; its address becomes the user's once it is confirmed. */
export const emailNotConfirmedAtLinking = (label: string): AuthError =>
  new AuthError(
    'email_not_confirmed',
    422,
    `Unverified email with ${label}. A confirmation email has been sent to your ${label} email`,
  )

export const singleIdentityNotDeletable = (): AuthError =>
  new AuthError(
    'single_identity_not_deletable',
    422,
    'User must have at least 1 identity after unlinking',
  )

export const lastAddressNotDeletable = (): AuthError =>
  new AuthError(
    'single_identity_not_deletable',
    422,
    'This address cannot be removed until another confirmed one is a day old: change it instead',
  )

export const identityNotFound = (): AuthError =>
  new AuthError('identity_not_found', 422, "Identity doesn't exist")

export const emailConflictAtUnlinking = (): AuthError =>
  new AuthError(
    'email_conflict_identity_not_deletable',
    422,
    'Unable to unlink identity due to email conflict',
  )

export const signUpDisabled = (): AuthError =>
  new AuthError('signup_disabled', 422, 'Signups not allowed for this instance')

/** Accounts cannot be created by a request for a code. */
export const otpDisabled = (): AuthError =>
  new AuthError('otp_disabled', 422, 'Signups not allowed for otp')

/** `POST /reauthenticate` and changes require a confirmed address. */
export const addressNotConfirmed = (kind: 'email' | 'phone'): AuthError =>
  new AuthError(`${kind}_not_confirmed`, 422, `Please verify your ${kind} first.`)

/** An address that was just added or replaced permits no new password, by a nonce or a code. */
export const addressTooNew = (): AuthError =>
  new AuthError('address_too_new', 422, 'The address was added or replaced in the last day')

/**
 * The credential is from before the account's first confirmed address, which has not confirmed it
 * yet.
 */
export const credentialNotConfirmed = (kind: 'email' | 'phone'): AuthError =>
  new AuthError(
    `${kind}_not_confirmed`,
    403,
    kind === 'email'
      ? 'Confirm this sign-in method with the link that was sent to the email address of the account'
      : 'Confirm this sign-in method with the code that was sent to the phone of the account',
  )

/** The credential needs more than a confirmation: control of the address does not suffice. */
export const signInMethodSuspended = (): AuthError =>
  new AuthError(
    'sign_in_method_suspended',
    403,
    'This sign-in method is suspended. Sign in another way, verify the second factor, then remove this method and add it again',
  )
