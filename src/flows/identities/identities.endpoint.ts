import type { Endpoint } from '../../http/endpoint.ts'
import { required, Text } from '../../http/inputs.ts'

export interface LinkIdentityInput {
  accessToken: string
  /** The name that the configuration has for it, in any letter case. */
  provider: string
  /** Scopes beside those of the provider, separated by commas. */
  scopes?: string | undefined
  redirectTo?: string | undefined
  /** With both, the journey ends in a code, which whoever knows the code verifier trades for a session. */
  codeChallenge?: string | undefined
  codeChallengeMethod?: string | undefined
}

/** An identity of the signed-in user. */
export interface IdentityInput {
  accessToken: string
  /** The id of the identity, not that of the person at the provider. */
  identityId: string
}

export const linkIdentityEndpoint = {
  method: 'GET',
  path: '/user/identities/authorize',
  summary: 'Sends the signed-in user to an external provider, to link the account there.',
  caller: 'user',
  limit: 'authorize',
  query: {
    provider: required(Text),
    scopes: Text,
    redirectTo: Text,
    codeChallenge: Text,
    codeChallengeMethod: Text,
    skipHttpRedirect: Text,
  },
  answers: { 200: 'Destination', 302: null },
  errors: ['insufficient_aal', 'manual_linking_disabled', 'session_expired'],
} as const satisfies Endpoint<LinkIdentityInput & { skipHttpRedirect?: string }>

export const unlinkIdentityEndpoint = {
  method: 'DELETE',
  path: '/user/identities/{identity_id}',
  summary: 'Unlinks an identity of the signed-in user.',
  caller: 'user',
  answers: { 200: 'Empty' },
  errors: [
    'conflict',
    'email_conflict_identity_not_deletable',
    'identity_not_found',
    'insufficient_aal',
    'manual_linking_disabled',
    'single_identity_not_deletable',
    'unexpected_audience',
  ],
} as const satisfies Endpoint<IdentityInput>
