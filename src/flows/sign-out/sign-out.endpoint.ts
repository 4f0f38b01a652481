import type { Endpoint } from '../../http/endpoint.ts'
import { oneOf } from '../../http/inputs.ts'
import type { SignOutScope } from '../../sessions/end-sessions.sql.ts'

export interface SignOutInput {
  accessToken: string
  /** Default `global`. */
  scope?: SignOutScope | undefined
}

export const signOutScopes = ['global', 'local', 'others'] as const satisfies SignOutScope[]

export const signOutEndpoint = {
  method: 'POST',
  path: '/logout',
  summary: 'Ends sessions of the caller. The body is not read.',
  caller: 'user',
  query: { scope: oneOf(signOutScopes) },
  answers: { 204: null },
  errors: [],
} as const satisfies Endpoint<SignOutInput>
