import { required, Text } from '../../platform/http/inputs.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { anyone, limit } from '../http/guards.ts'

/** The start of a flow through an external provider. */
export interface AuthorizeInput {
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
  /** The secret of an invitation that the sign-in accepts. */
  inviteToken?: string | undefined
}

/**
 * A flow that is started in code. Its request contains no cookie of the browser, so it ends in a
 * code.
 */
export interface SignInWithOAuthInput extends AuthorizeInput {
  codeChallenge: string
  codeChallengeMethod: string
  /** Further parameters for the provider, such as `prompt`. */
  parameters?: Readonly<Record<string, string>> | undefined
}

/** The parameters of an authorization response. */
export interface CallbackInput {
  state: string
  code?: string | undefined
  /** The issuer of the response. @see RFC 9207 §2 */
  iss?: string | undefined
  error?: string | undefined
  errorDescription?: string | undefined
}

/**
 * The fields of a form: of an authorization response, or of the page that confirms the linking of
 * an identity.
 */
export interface CallbackFormInput extends Partial<CallbackInput> {
  /** The secret of a confirmation page, in place of the others. */
  confirmation?: string | undefined
  /** With `link` the identity is linked; any other value cancels. */
  decision?: string | undefined
}

export const authorizeEndpoint = {
  method: 'GET',
  path: '/authorize',
  summary: 'Sends a browser to an external provider, to sign in there.',
  isOpenedByBrowsers: true,
  inCode: 'auth.api.signInWithOAuth',
  guards: [anyone, limit('authorize')],
  query: {
    provider: required(Text),
    scopes: Text,
    redirectTo: Text,
    codeChallenge: Text,
    codeChallengeMethod: Text,
    inviteToken: Text,
  },
  answers: { 302: null },
  errors: ['user_not_found'],
  conditions: {
    user_not_found: 'for an unknown invitation',
    validation_failed: 'for an unknown provider or an invalid code challenge',
  },
} as const satisfies Endpoint<AuthorizeInput>

/** A page where the user must confirm the linking of an identity, else a redirect. */
const answers = { 200: null, 302: null, 303: null } as const

const callback = {
  method: 'GET',
  guards: [anyone, limit('callback')],
  needsRecentProof: true,
  query: { state: required(Text), code: Text, iss: Text, error: Text, errorDescription: Text },
  answers,
  errors: [],
} as const

const callbackForm = {
  method: 'POST',
  guards: [anyone, limit('callback')],
  needsRecentProof: true,
  query: { ...callback.query, state: Text, confirmation: Text, decision: Text },
  answers,
  errors: ['origin_not_allowed'],
} as const

export const callbackEndpoint = {
  ...callback,
  path: '/callback',
  summary:
    'Receives the response of an external provider. Redirects with a session, a code or an error, or returns a page where the user confirms a linked identity.',
  signInMethod: 'oauth',
} as const satisfies Endpoint<CallbackInput>

export const callbackFormEndpoint = {
  ...callbackForm,
  path: '/callback',
  summary:
    'Receives the same from a provider whose page submits a form, and the form of the page that confirms a linked identity.',
  signInMethod: 'oauth',
} as const satisfies Endpoint<CallbackFormInput>

export const providerCallbackEndpoint = {
  ...callback,
  path: '/callback/{provider}',
  summary:
    'Receives the response of this external provider. The response of another one is rejected.',
} as const satisfies Endpoint<CallbackInput>

export const providerCallbackFormEndpoint = {
  ...callbackForm,
  path: '/callback/{provider}',
  summary: 'Receives the same as a form. The response of another provider is rejected.',
} as const satisfies Endpoint<CallbackFormInput>
