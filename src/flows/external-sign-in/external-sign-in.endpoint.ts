import type { Endpoint } from '../../http/endpoint.ts'
import { required, Text } from '../../http/inputs.ts'

/** A journey to an external provider. */
export interface AuthorizeInput {
  /** The name that the configuration has for it, in any letter case. */
  provider: string
  /** Scopes beside those of the provider, separated by commas. */
  scopes?: string | undefined
  redirectTo?: string | undefined
  /** With both, the journey ends in a code, which whoever knows the code verifier trades for a session. */
  codeChallenge?: string | undefined
  codeChallengeMethod?: string | undefined
  /** The secret of an invitation, which is accepted by this. */
  inviteToken?: string | undefined
}

/** A journey that an application begins in code: the browser is elsewhere, so the end has to be a code. */
export interface SignInWithOAuthInput extends AuthorizeInput {
  codeChallenge: string
  codeChallengeMethod: string
  /** Further parameters for the provider, such as `prompt`. */
  parameters?: Readonly<Record<string, string>> | undefined
}

/** What somebody brings back from a provider, as it says it. */
export interface CallbackInput {
  state: string
  code?: string | undefined
  error?: string | undefined
  errorDescription?: string | undefined
}

export const authorizeEndpoint = {
  method: 'GET',
  path: '/authorize',
  summary: 'Sends a browser to an external provider, to sign in there.',
  caller: 'anyone',
  limit: 'authorize',
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
} as const satisfies Endpoint<AuthorizeInput>

const callback = {
  path: '/callback',
  caller: 'anyone',
  query: { state: required(Text), code: Text, error: Text, errorDescription: Text },
  answers: { 302: null, 303: null },
  errors: [],
} as const

export const callbackEndpoint = {
  ...callback,
  method: 'GET',
  summary: 'Takes a browser back from an external provider, and sends it on with what came of it.',
} as const satisfies Endpoint<CallbackInput>

export const callbackFormEndpoint = {
  ...callback,
  method: 'POST',
  summary: 'Takes a browser back from a provider whose page submits a form.',
} as const satisfies Endpoint<CallbackInput>
