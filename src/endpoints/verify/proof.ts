import type { OneTimeTokenRow } from '../../accounts/one-time-tokens/one-time-token-row.ts'
import type { StoredUser } from '../../accounts/users/find-user.sql.ts'
import type { ProofType } from './verify.endpoint.ts'

/** What a proof says of a token. */
type ProvedToken = Pick<
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
 * The time of the proof that a session contains which a token opens: a change of address that was requested without a
 * recent proof makes no session recent. Null for the time of the verification.
 */
export const provedAtOf = ({ token, stored }: Pick<Proof, 'token' | 'stored'>): Date | null =>
  token.purpose.includes('change') ? stored.user.changeProvedAt : null

/** The recipient of a link or code, where that was a phone; null for an email address. */
export const recipientOf = ({ token }: Pick<Proof, 'token'>): 'phone' | null =>
  token.sent_to.includes('@') ? null : 'phone'

/** A token that fits the evidence. It is not spent yet. */
export interface Proof {
  type: ProofType
  /** Without an id where there is nothing to spend, as for the fixed code of a test number. */
  token: ProvedToken & { id: string | null }
  stored: StoredUser
  /** Whether an application brings it, which says for which audience; a browser that follows a link does not. */
  isBrought: boolean
  /** Whether the browser that follows the link is the one that asked for it, on its way back from a provider. */
  isOwnBrowser: boolean
}
