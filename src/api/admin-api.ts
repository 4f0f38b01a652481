import type { NewUser, UserChanges } from '../flows/admin-users/user-input.ts'
import type { GeneratedLinkType } from '../flows/generate-link/link-types.ts'
import type { Account } from '../users/account.ts'
import type { CallOptions } from './call-options.ts'

export interface InviteUserInput {
  email: string
  /** Becomes the metadata of a new user. */
  data?: Record<string, unknown> | undefined
  /** Where the link ends. Default: the site. */
  redirectTo?: string | undefined
}

export interface GenerateLinkInput {
  /** `magiclink` for an address that nobody has makes a link of type `signup`. */
  type: GeneratedLinkType
  /** The user's address at present. */
  email: string
  /** With the two types of a change of email: the address that is to be. */
  newEmail?: string | undefined
  /** With `signup`: needed for a new user. */
  password?: string | undefined
  /** With `signup` and `invite`: the metadata of a new user. */
  data?: Record<string, unknown> | undefined
  /** Where the link ends. Default: the site. */
  redirectTo?: string | undefined
  /** Whether a mail with the link goes out as well. Default false. */
  sendEmail?: boolean | undefined
}

/** A link as a mail would carry it, and its parts. Whoever has it is the user. */
export interface GeneratedLink {
  user: Account
  actionLink: string
  /** The code that a mail would show. */
  emailOtp: string
  /** The secret in the link, for `verifyOtp` as `tokenHash`. */
  hashedToken: string
  /** What the link is for, as asked or as it turned out. */
  verificationType: string
  redirectTo: string
}

/**
 * What operators do, called from code. To hold this object is to be an operator: no token is asked
 * for. Every method throws `AuthError` with the code of the wire.
 */
export interface AdminApi {
  /** No message goes out. Errors: `email_exists`, `phone_exists`, `validation_failed`. */
  createUser(input: NewUser, options?: CallOptions): Promise<Account>
  /** Errors: `user_not_found`, `validation_failed` for what is no UUID. */
  getUser(userId: string, options?: CallOptions): Promise<Account>
  /** Metadata is merged. Errors: those of both above, `weak_password`. */
  updateUser(userId: string, changes: UserChanges, options?: CallOptions): Promise<Account>
  /**
   * Makes a user and mails an invitation; who was invited before and has not come gets a new one.
   * Errors: `email_exists` for a proved address, `validation_failed`, `email_address_not_authorized`,
   * `over_email_send_rate_limit` (429, with `details.retryAfterSeconds`) for the budget of all mails.
   */
  inviteUser(input: InviteUserInput, options?: CallOptions): Promise<Account>
  /**
   * Makes a link, and the user where there is none, for an operator to hand over. Errors:
   * `user_not_found`, `email_exists` for a proved address, `weak_password`, `validation_failed`.
   */
  generateLink(input: GenerateLinkInput, options?: CallOptions): Promise<GeneratedLink>
}
