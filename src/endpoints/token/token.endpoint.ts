import { chains } from '../../credentials/wallets/chain.ts'
import { requireWallets } from '../../credentials/wallets/wallet-errors.ts'
import {
  Flag,
  fields,
  LongText,
  oneOf,
  required,
  Text,
  wireNamed,
} from '../../platform/http/inputs.ts'
import { type Endpoint, hookErrors, messageErrors } from '../http/endpoint.ts'
import { anyone, captcha, limit, offeredIf } from '../http/guards.ts'

/** A sign-in by password. Exactly one of `email`, `phone` and `username` is required. */
export interface SignInWithPasswordInput {
  email?: string | undefined
  phone?: string | undefined
  /** In any letter case, where the configuration enables user names. */
  username?: string | undefined
  password: string
}

export interface RefreshSessionInput {
  refreshToken: string
}

export interface ExchangeCodeInput {
  /** The parameter `code` in the redirect of the link. */
  authCode: string
  /** The code verifier of the code challenge. */
  codeVerifier: string
}

/** A sign-in by an id token that the application obtained from a provider. */
export interface SignInWithIdTokenInput {
  /**
   * The issuing provider, by its name in the configuration. Optional with `issuer` and `clientId`.
   */
  provider?: string | undefined
  idToken: string
  /**
   * The provider's access token that was issued with the id token. It must match the `at_hash` of
   * the id token.
   */
  providerAccessToken?: string | undefined
  /**
   * The value whose SHA-256, as lower-case hexadecimal, was the nonce of the request to the
   * provider.
   */
  nonce?: string | undefined
  issuer?: string | undefined
  /**
   * The client of the token, one of `externalSignIn.allowedIdTokenIssuers`; only for an issuer that
   * is no provider.
   */
  clientId?: string | undefined
  /** Whether the identity is linked to the signed-in user, in place of a sign-in. */
  linkIdentity?: boolean | undefined
}

/** A sign-in by a message that a wallet signed. */
export interface SignInWithWeb3Input {
  chain: 'solana' | 'ethereum'
  /** The complete signed text: “Sign in with Ethereum” (EIP-4361), or the same for Solana. */
  message: string
  /** 64 bytes in base64 from Solana; 65 bytes in hexadecimal digits, after `0x`, from Ethereum. */
  signature: string
}

/** Common properties of the grants. @see RFC 6749 §3.2 */
const token = {
  method: 'POST',
  path: '/token',
  answers: { 200: 'Session' },
} as const

export const passwordGrant = {
  ...token,
  summary: 'Signs in by email, phone or user name and password.',
  inCode: 'auth.api.signInWithPassword',
  guards: [anyone, limit('token'), captcha],
  query: { grantType: required(oneOf(['password'])) },
  body: fields({ email: Text, phone: Text, username: Text, password: required(Text) }),
  errors: [
    ...hookErrors,
    'email_not_confirmed',
    'email_provider_disabled',
    'invalid_credentials',
    'over_request_rate_limit',
    'phone_not_confirmed',
    'phone_provider_disabled',
    'user_banned',
  ],
  conditions: {
    over_request_rate_limit: 'after too many wrong passwords',
  },
  signInMethod: 'password',
} as const satisfies Endpoint<SignInWithPasswordInput & { grantType: 'password' }>

export const refreshGrant = {
  ...token,
  summary: 'Renews a session by its refresh token.',
  inCode: 'auth.api.refreshSession',
  guards: [anyone, limit('token')],
  query: { grantType: required(oneOf(['refresh_token'])) },
  body: fields({ refreshToken: required(Text) }),
  errors: [
    ...hookErrors,
    'invalid_credentials',
    'refresh_token_already_used',
    'refresh_token_not_found',
    'session_expired',
    'user_banned',
  ],
  oauthErrors: ['invalid_client'],
  conditions: {
    invalid_credentials: 'for the session of an OAuth client',
  },
} as const satisfies Endpoint<RefreshSessionInput & { grantType: 'refresh_token' }>

export const codeGrant = {
  ...token,
  summary: 'Exchanges the code of a followed link for a session.',
  inCode: 'auth.api.exchangeCodeForSession',
  guards: [anyone, limit('token')],
  query: { grantType: required(oneOf(['pkce'])) },
  body: fields({ authCode: required(Text), codeVerifier: required(Text) }),
  errors: [
    ...hookErrors,
    'bad_code_verifier',
    'flow_state_expired',
    'flow_state_not_found',
    'invalid_credentials',
    'user_banned',
  ],
  signInMethod: 'pkce',
} as const satisfies Endpoint<ExchangeCodeInput & { grantType: 'pkce' }>

export const idTokenGrant = {
  ...token,
  needsRecentProof: true,
  summary: 'Signs in by an id token that the client obtained from a provider.',
  inCode: 'auth.api.signInWithIdToken',
  guards: [anyone, limit('token')],
  query: { grantType: required(oneOf(['id_token'])) },
  body: fields({
    provider: Text,
    idToken: required(Text),
    providerAccessToken: wireNamed('access_token', Text),
    nonce: Text,
    issuer: Text,
    clientId: Text,
    linkIdentity: Flag,
  }),
  errors: [
    ...hookErrors,
    ...messageErrors,
    'bad_jwt',
    'conflict',
    'email_exists',
    'email_not_confirmed',
    'identity_already_exists',
    'insufficient_aal',
    'invalid_credentials',
    'manual_linking_disabled',
    'no_authorization',
    'phone_not_confirmed',
    'provider_disabled',
    'provider_email_needs_verification',
    'reauthentication_needed',
    'session_expired',
    'session_not_found',
    'sign_in_method_suspended',
    'signup_disabled',
    'too_many_identities',
    'user_banned',
    'user_not_found',
    'user_sso_managed',
  ],
  oauthErrors: ['invalid request', 'invalid nonce'],
  conditions: {
    service_unavailable: 'also while the issuer does not respond',
  },
  signInMethod: 'oauth',
} as const satisfies Endpoint<SignInWithIdTokenInput & { grantType: 'id_token' }>

export const web3Grant = {
  ...token,
  summary: 'Signs in by a message that an Ethereum or Solana wallet signed.',
  inCode: 'auth.api.signInWithWeb3',
  guards: [offeredIf(requireWallets), anyone, limit('web3'), captcha],
  query: { grantType: required(oneOf(['web3'])) },
  body: fields({
    chain: required(oneOf(chains)),
    message: required(LongText),
    signature: required(Text),
  }),
  errors: [
    ...hookErrors,
    'conflict',
    'email_address_invalid',
    'email_address_not_authorized',
    'email_not_confirmed',
    'invalid_credentials',
    'over_email_send_rate_limit',
    'phone_not_confirmed',
    'provider_email_needs_verification',
    'sign_in_method_suspended',
    'signup_disabled',
    'user_banned',
    'web3_provider_disabled',
    'web3_unsupported_chain',
  ],
  oauthErrors: ['invalid_grant'],
  conditions: {
    invalid_credentials: 'for a message of another site or time',
    email_not_confirmed: 'for a suspended wallet',
    phone_not_confirmed: 'for a suspended wallet',
    provider_email_needs_verification:
      'where an operator set an email that the user has not confirmed',
  },
  signInMethod: 'web3',
} as const satisfies Endpoint<SignInWithWeb3Input & { grantType: 'web3' }>
