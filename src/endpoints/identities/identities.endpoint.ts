import { required, Text } from '../../platform/http/inputs.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { limit, user } from '../http/guards.ts'

export interface LinkIdentityInput {
  accessToken: string
  /** The name of the provider in the configuration, in any letter case. */
  provider: string
  /** Scopes in addition to the provider's, separated by commas. */
  scopes?: string | undefined
  redirectTo?: string | undefined
  /**
   * With both, the flow ends in a code, which the client exchanges for a session by its code
   * verifier.
   */
  codeChallenge?: string | undefined
  codeChallengeMethod?: string | undefined
}

/** An identity of the signed-in user. */
export interface IdentityInput {
  accessToken: string
  /** The id of the identity, not the subject at the provider. */
  identityId: string
}

export const linkIdentityEndpoint = {
  method: 'GET',
  path: '/user/identities/authorize',
  summary: 'Sends the signed-in user to an external provider, to link an identity.',
  inCode: 'auth.api.linkIdentity',
  guards: [user, limit('authorize')],
  needsRecentProof: true,
  needsSession: true,
  query: {
    provider: required(Text),
    scopes: Text,
    redirectTo: Text,
    codeChallenge: Text,
    codeChallengeMethod: Text,
    skipHttpRedirect: Text,
  },
  answers: { 200: 'Destination', 302: null },
  errors: [
    'insufficient_aal',
    'manual_linking_disabled',
    'reauthentication_needed',
    'user_sso_managed',
  ],
  conditions: {
    validation_failed: 'also for an unknown provider',
  },
} as const satisfies Endpoint<LinkIdentityInput & { skipHttpRedirect?: string }>

export const unlinkIdentityEndpoint = {
  method: 'DELETE',
  path: '/user/identities/{identity_id}',
  summary: 'Unlinks an identity of the signed-in user.',
  inCode: 'auth.api.unlinkIdentity',
  guards: [user],
  needsRecentProof: true,
  answers: { 200: 'Empty' },
  errors: [
    'conflict',
    'email_conflict_identity_not_deletable',
    'identity_not_found',
    'insufficient_aal',
    'manual_linking_disabled',
    'reauthentication_needed',
    'single_identity_not_deletable',
    'unexpected_audience',
    'user_sso_managed',
  ],
} as const satisfies Endpoint<IdentityInput>
