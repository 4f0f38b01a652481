import type { GrantedTokens } from '../config/sections/provider-definition.ts'
import type { AuthContext } from '../deps.ts'
import { type Rows, rowsOf } from '../sql/tables.ts'
import { toProviderTokenRow } from '../users/provider-token.ts'
import type { Identity } from '../users/user.ts'

/** The tokens that a provider handed out for an identity, to be stored with it, in the same statement. */
export const providerTokenRows = (
  { roots, clock }: Pick<AuthContext, 'roots' | 'clock'>,
  { id }: Pick<Identity, 'id'>,
  tokens: GrantedTokens,
): Rows<'provider_tokens'> =>
  rowsOf('provider_tokens', toProviderTokenRow(roots, id, tokens, clock.now()))
