import type { OneTimeTokenRow } from '../../one-time-tokens/one-time-token-row.ts'
import type { StoredUser } from '../../users/find-user.sql.ts'
import type { ProofType } from './verify.endpoint.ts'

/** What a proof says of a token. */
type ProvedToken = Pick<
  OneTimeTokenRow,
  | 'purpose'
  | 'requested_by'
  | 'requested_from'
  | 'audience'
  | 'sent_to'
  | 'code_challenge'
  | 'code_challenge_method'
>

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
