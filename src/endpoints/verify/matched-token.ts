import type { OneTimeTokenRow } from '../../accounts/one-time-tokens/one-time-token-row.ts'
import { changedKindOf } from '../../accounts/one-time-tokens/token-purpose.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import type { StoredUser } from '../../accounts/users/find-user.sql.ts'
import type { ProofType } from './verify.endpoint.ts'

/** The columns of a token that its verification uses. */
type TokenColumns = Pick<
  OneTimeTokenRow,
  | 'purpose'
  | 'requested_by'
  | 'requested_from'
  | 'audience'
  | 'sent_to'
  | 'credential_id'
  | 'code_challenge'
  | 'code_challenge_method'
>

/**
 * Returns the time of proof for the session that a token opens; null for the time of the
 * verification. A change of address that was requested without a recent proof does not make the
 * session recent.
 */
export const provedAtOf = ({
  token,
  stored,
}: Pick<MatchedToken, 'token' | 'stored'>): Date | null =>
  changedKindOf(token) ? stored.user.changeProvedAt : null

/** A matched token that is not consumed yet. */
export interface MatchedToken {
  type: ProofType
  /** Without an id where no row is consumed, as for the fixed code of a test number. */
  token: TokenColumns & { id: string | null }
  /** The address that the token was sent to. */
  sentTo: Address
  stored: StoredUser
  /**
   * Whether an application submits the token, which determines the audience. False for a browser
   * that follows a link.
   */
  isSubmitted: boolean
  /**
   * Whether the browser that follows the link is that of the external sign-in which requested it.
   */
  isOwnBrowser: boolean
}
