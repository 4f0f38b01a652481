import type { Endpoint } from '../../http/endpoint.ts'
import { fields, oneOf, required, Text } from '../../http/inputs.ts'

/** A sign-in by password. Exactly one of `email` and `phone` is given. */
export interface SignInInput {
  email?: string | undefined
  phone?: string | undefined
  password: string
}

export interface RefreshInput {
  refreshToken: string
}

export interface CodeExchangeInput {
  /** What the link put into the query as `code`. */
  authCode: string
  /** What the code challenge was made of. */
  codeVerifier: string
}

/** What the three grants have in common. @see RFC 6749 §3.2 */
const token = {
  method: 'POST',
  path: '/token',
  caller: 'anyone',
  limit: 'token',
  answers: { 200: 'Session' },
} as const

export const passwordGrant = {
  ...token,
  summary: 'Signs in by email or phone and password.',
  query: { grantType: required(oneOf(['password'])) },
  body: fields({ email: Text, phone: Text, password: required(Text) }),
  errors: [
    'email_not_confirmed',
    'email_provider_disabled',
    'invalid_credentials',
    'over_request_rate_limit',
    'phone_not_confirmed',
    'phone_provider_disabled',
    'user_banned',
  ],
} as const satisfies Endpoint<SignInInput & { grantType: 'password' }>

export const refreshGrant = {
  ...token,
  summary: 'Renews a session by its refresh token.',
  query: { grantType: required(oneOf(['refresh_token'])) },
  body: fields({ refreshToken: required(Text) }),
  errors: [
    'invalid_credentials',
    'refresh_token_already_used',
    'refresh_token_not_found',
    'session_expired',
    'user_banned',
  ],
} as const satisfies Endpoint<RefreshInput & { grantType: 'refresh_token' }>

export const codeGrant = {
  ...token,
  summary: 'Trades the code that a link ended in for a session.',
  query: { grantType: required(oneOf(['pkce'])) },
  body: fields({ authCode: required(Text), codeVerifier: required(Text) }),
  errors: [
    'bad_code_verifier',
    'flow_state_expired',
    'flow_state_not_found',
    'invalid_credentials',
    'user_banned',
  ],
} as const satisfies Endpoint<CodeExchangeInput & { grantType: 'pkce' }>
