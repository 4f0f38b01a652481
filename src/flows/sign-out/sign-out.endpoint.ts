import type { Endpoint } from '../../http/endpoint.ts'
import { oneOf } from '../../http/inputs.ts'
import { type SignOutScope, signOutScopes } from '../../sessions/sign-out-scope.ts'

export interface SignOutInput {
  accessToken: string
  /** Default `global`. */
  scope?: SignOutScope | undefined
}

export const signOutEndpoint = {
  method: 'POST',
  path: '/logout',
  summary: 'Ends sessions of the caller. The body is not read.',
  caller: 'user',
  query: { scope: oneOf(signOutScopes) },
  answers: { 204: null },
  errors: [],
} as const satisfies Endpoint<SignOutInput>
