import { type SignOutScope, signOutScopes } from '../../accounts/sessions/session-info.ts'
import { oneOf, required } from '../../platform/http/inputs.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { userOfToken, userOrClient } from '../http/guards.ts'

export interface SignOutInput {
  accessToken: string
  /** Default `global`. */
  scope?: SignOutScope | undefined
}

export const signOutEndpoint = {
  method: 'POST',
  path: '/logout',
  summary: 'Ends sessions of the caller. The body is not read.',
  inCode: 'auth.api.signOut',
  guards: [userOrClient],
  needsRecentProof: false,
  query: { scope: oneOf(signOutScopes) },
  answers: { 204: null },
  errors: [],
} as const satisfies Endpoint<SignOutInput>

export const deleteSessionsEndpoint = {
  method: 'DELETE',
  path: '/user/sessions',
  summary:
    'Ends sessions of the caller, as `POST /logout` does: all of them, this one, or all others.',
  guards: [userOfToken],
  needsRecentProof: false,
  query: { scope: required(oneOf(signOutScopes)) },
  answers: { 204: null },
  errors: [],
} as const satisfies Endpoint<{ scope: SignOutScope }>
