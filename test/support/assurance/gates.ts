import type { Endpoint } from '../../../src/endpoints/http/endpoint.ts'
import { endpoints } from '../../../src/service/endpoints.ts'
import { createAuthenticator } from '../authenticator.ts'
import { fullBody } from '../authorization/entry-points.ts'
import type { Answer } from '../test-auth.ts'
import type { EveryWayIn } from './first-factors.ts'

/** The state of a request at a gate. */
export interface GateRequest {
  world: EveryWayIn
  token: string
  factorId: string
  /** The id of an unverified factor. */
  begunId: string
  passkeyId: string
  /** The id of one of several identities. */
  identityId: string
}

/** Status and code; no code for a success. */
export type GateResponse = [status: number, code?: string]

/** An operation that requires a second factor of users who have one. */
export interface StepUpGate {
  /** The endpoint, or the method in code. If an endpoint has several gates, a word follows. */
  name: string
  /** The response to a session with the first factor only. */
  rejection: GateResponse
  /** The response to a session that was raised by a trusted device. Default: the same. */
  toDevice?: GateResponse
  /**
   * The response to a session with the second factor. Gates run in their order, with the same user.
   * Absent: any but an error of assurance.
   */
  passes?: readonly GateResponse[]
  /**
   * The method whose verification ends with the removed factor. No gate follows for a session of
   * that method.
   */
  endsProofBy?: string
  send(requested: GateRequest): Promise<GateResponse>
}

const statusAndCode = ({ status, body }: Answer): GateResponse =>
  body?.error_code === undefined ? [status] : [status, body.error_code]

const called = (calling: Promise<unknown>): Promise<GateResponse> =>
  calling.then(
    () => [200],
    ({ status, code }) => [status, code],
  )

/** Creates a request to an endpoint, with its path filled in. */
const by =
  (
    method: string,
    pathOf: (requested: GateRequest) => string,
    bodyOf?: (requested: GateRequest) => object,
  ) =>
  async (requested: GateRequest): Promise<GateResponse> =>
    statusAndCode(
      await requested.world.auth.request(method, pathOf(requested), {
        token: requested.token,
        ...(bodyOf && { body: bodyOf(requested) }),
      }),
    )

const unknownId = '7f3a3f0c-0000-4000-8000-000000000000'
const insufficient = (status: number): GateResponse => [status, 'insufficient_aal']

let made = 0

/** Changes of the user that require a second factor; other changes require none. */
const ofUser = (what: string, bodyOf: () => object): StepUpGate => ({
  name: `PUT /user, ${what}`,
  rejection: insufficient(401),
  passes: [[200]],
  send: by('PUT', () => '/user', bodyOf),
})

const recoveryCodes = '/factors/recovery-codes'

const requireUser =
  (required: object) =>
  ({ world, token }: GateRequest): Promise<GateResponse> =>
    called(world.auth.auth.requireUser({ headers: { authorization: `Bearer ${token}` } }, required))

/**
 * Gates whose requests or responses the description does not state. One user passes them in this
 * order.
 */
const listedGates: readonly StepUpGate[] = [
  {
    // A request that exists requires the factor: see oauth-flow.test.ts.
    name: 'GET /oauth/authorizations/{authorization_id}',
    rejection: [404, 'oauth_authorization_not_found'],
    send: by('GET', () => `/oauth/authorizations/${unknownId}`),
  },
  {
    name: 'GET /oauth/device',
    rejection: [404, 'oauth_authorization_not_found'],
    send: by('GET', () => '/oauth/device?user_code=BCDF-GHJK'),
  },
  {
    name: 'POST /oauth/authorizations/{authorization_id}/consent',
    rejection: insufficient(403),
    toDevice: [404, 'oauth_authorization_not_found'],
    send: by(
      'POST',
      () => `/oauth/authorizations/${unknownId}/consent`,
      () => ({ action: 'approve' }),
    ),
  },
  {
    name: 'auth.requireUser, aal 2',
    rejection: insufficient(403),
    toDevice: [200],
    passes: [[200]],
    send: requireUser({ aal: 2 }),
  },
  {
    name: 'auth.requireUser, aal 2 within 5m',
    rejection: insufficient(403),
    toDevice: [403, 'reauthentication_needed'],
    passes: [[200]],
    send: requireUser({ aal: 2, within: '5m' }),
  },
  {
    name: 'auth.api.getProviderToken',
    rejection: insufficient(403),
    passes: [
      [404, 'identity_not_found'],
      [404, 'provider_token_not_found'],
    ],
    send: ({ world, token: accessToken }) =>
      called(world.auth.auth.api.getProviderToken({ accessToken, provider: 'keycloak' })),
  },
  {
    name: 'GET /admin/users',
    rejection: insufficient(403),
    passes: [[200]],
    send: by('GET', () => '/admin/users'),
  },
  {
    name: 'GET /user/identities/authorize',
    rejection: insufficient(403),
    passes: [[200]],
    send: by('GET', () => '/user/identities/authorize?provider=keycloak&skip_http_redirect=true'),
  },
  {
    name: 'POST /token, id_token that links',
    rejection: insufficient(403),
    passes: [[200]],
    send: by(
      'POST',
      () => '/token?grant_type=id_token',
      ({ world }) => ({ provider: 'acme', id_token: world.idToken(), link_identity: true }),
    ),
  },
  {
    name: 'DELETE /user/identities/{identity_id}',
    rejection: insufficient(403),
    passes: [[200]],
    send: by('DELETE', ({ identityId }) => `/user/identities/${identityId}`),
  },
  {
    name: 'POST /factors',
    rejection: insufficient(403),
    passes: [[200]],
    send: by(
      'POST',
      () => '/factors',
      () => ({ factor_type: 'totp', friendly_name: `one more ${++made}` }),
    ),
  },
  {
    name: 'POST /factors/{factor_id}/challenge, of one that was begun',
    rejection: insufficient(403),
    passes: [[200]],
    send: by(
      'POST',
      ({ begunId }) => `/factors/${begunId}/challenge`,
      () => ({}),
    ),
  },
  {
    name: 'POST /factors/{factor_id}/verify, of one that was begun',
    rejection: insufficient(403),
    passes: [[422, 'mfa_factor_not_found']],
    send: by(
      'POST',
      ({ begunId }) => `/factors/${begunId}/verify`,
      () => ({ challenge_id: unknownId, code: '123456' }),
    ),
  },
  {
    name: `POST ${recoveryCodes}`,
    rejection: insufficient(403),
    passes: [[200], [422, 'mfa_verified_factor_exists']],
    send: by(
      'POST',
      () => recoveryCodes,
      () => ({}),
    ),
  },
  {
    name: `POST ${recoveryCodes}/regenerate`,
    rejection: insufficient(403),
    passes: [[200]],
    send: by('POST', () => `${recoveryCodes}/regenerate`),
  },
  {
    name: `DELETE ${recoveryCodes}`,
    endsProofBy: 'mfa/recovery_code',
    rejection: insufficient(422),
    passes: [[200]],
    send: by('DELETE', () => recoveryCodes),
  },
  {
    name: 'POST /passkeys/registration/options',
    rejection: insufficient(403),
    passes: [[200]],
    send: by(
      'POST',
      () => '/passkeys/registration/options',
      () => ({}),
    ),
  },
  {
    name: 'POST /passkeys/registration/verify',
    rejection: insufficient(403),
    passes: [[400, 'webauthn_challenge_not_found']],
    send: by(
      'POST',
      () => '/passkeys/registration/verify',
      () => ({ challenge_id: unknownId, credential: newCredential() }),
    ),
  },
  {
    name: 'DELETE /passkeys/{passkey_id}',
    rejection: insufficient(403),
    passes: [[204]],
    send: by('DELETE', ({ passkeyId }) => `/passkeys/${passkeyId}`),
  },
  {
    name: 'POST /trusted-devices',
    rejection: insufficient(403),
    passes: [[200]],
    send: by(
      'POST',
      () => '/trusted-devices',
      () => ({}),
    ),
  },
  ofUser('an email', () => ({ email: `passed-${++made}@example.test` })),
  ofUser('a phone', () => ({ phone: `+491599${String(++made).padStart(7, '0')}` })),
  ofUser('a user name', () => ({ username: `passed.${++made}` })),
  ofUser('a password', () => ({ password: 'a brand new password' })),
  {
    name: 'DELETE /user',
    rejection: insufficient(403),
    passes: [[400, 'invalid_credentials']],
    send: by(
      'DELETE',
      () => '/user',
      () => ({ password: 'wrong' }),
    ),
  },
  // The last one: it removes the factor that the others require.
  {
    name: 'DELETE /factors/{factor_id}',
    rejection: insufficient(422),
    passes: [[200]],
    send: by('DELETE', ({ factorId }) => `/factors/${factorId}`),
  },
]

const endpointOf = ({ name }: StepUpGate) => name.replace(/,.*/, '')
const listedEndpoints = new Set(listedGates.map(endpointOf))

/**
 * A gate for each other endpoint that declares `insufficient_aal`, with every id and field that
 * requests have.
 */
const describedGates: readonly StepUpGate[] = endpoints
  .filter((one: Endpoint) => one.errors.includes('insufficient_aal'))
  .map(({ method, path }) => ({ method, path, name: `${method} ${path}` }))
  .filter(({ name }) => !listedEndpoints.has(name))
  .map(({ method, path, name }) => ({
    name,
    rejection: insufficient(403),
    send: by(
      method,
      ({ factorId, passkeyId, identityId }) =>
        path
          .replace('{factor_id}', factorId)
          .replace('{passkey_id}', passkeyId)
          .replace('{identity_id}', identityId)
          .replaceAll(/\{\w+\}/g, unknownId),
      method === 'GET' ? undefined : () => fullBody({ challenge_id: unknownId }),
    ),
  }))

/** All gates. The last listed one removes the factor that the others require. */
export const gates: readonly StepUpGate[] = [...describedGates, ...listedGates]

/** Whether a response means that the gate is passed. */
export const isPassed = ({ passes }: StepUpGate, [status, code]: GateResponse): boolean =>
  passes
    ? passes.some((one) => one[0] === status && one[1] === code)
    : code !== 'insufficient_aal' && code !== 'reauthentication_needed'

const newCredential = () =>
  createAuthenticator().create({
    challenge: 'AA',
    rp: { id: 'app.example.test' },
    user: { id: 'AA' },
  })

/**
 * The files of `src/` that check the second factor, and the gates that they belong to. A file
 * beside endpoints that declare `insufficient_aal` belongs to those, and is listed only for the
 * endpoints of other folders.
 */
export const gatekeepers: Readonly<Record<string, readonly string[]>> = {
  'service/api/step-up.ts': ['auth.requireUser'],
  'service/api/viewer.ts': ['auth.requireUser'],
  'service/api/create-token-checks.ts': ['auth.requireUser'],
  'accounts/external-sign-in/create-authorization-request.ts': ['GET /user/identities/authorize'],
  'endpoints/provider-tokens/get-provider-token.ts': ['auth.api.getProviderToken'],
  'accounts/callers/authenticate-admin.ts': ['GET /admin/users'],
  // It also opens the request of a device.
  'capabilities/oauth-server/authorize/consent.ts': ['GET /oauth/device'],
  // An operator's own credentials: see operators.test.ts.
  'endpoints/admin-users/update-user-as-operator.ts': [],
  'endpoints/admin-users/admin-factors.route.ts': [],
  'endpoints/admin-users/admin-passkeys.route.ts': [],
  'endpoints/generate-link/generate-link.ts': [],
  // The pages of the console: see console.test.ts.
  'capabilities/console/require-operator.ts': [],
  // The pages of users, and sessions in cookies: see account.test.ts and create-request-session.test.ts.
  'capabilities/pages/account.ts': [],
  'capabilities/pages/complete-sign-in.ts': [],
  'hosts/cookie-sessions/create-request-session.ts': [],
  // The lifetime of tokens.
  'accounts/sign-in/issue-session.ts': [],
  // The functions that the others call.
  'accounts/callers/authenticate-caller.ts': [],
  'accounts/external-sign-in/require-may-link.ts': [],
  'accounts/callers/recent-proof.ts': [],
  'accounts/callers/recent-sign-in.ts': [],
}
