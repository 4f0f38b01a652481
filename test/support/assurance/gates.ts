import { createAuthenticator } from '../authenticator.ts'
import type { Answer } from '../test-auth.ts'
import type { EveryWayIn } from './first-factors.ts'

/** What somebody knocks with. */
export interface Knock {
  world: EveryWayIn
  token: string
  factorId: string
  /** A factor that was begun. */
  begunId: string
  passkeyId: string
  /** Of an identity beside others. */
  identityId: string
}

/** Status and code; no code for a success. */
export type Said = [status: number, code?: string]

/** Something that is asked for a second factor of whoever has one. */
export interface Gate {
  /** Of the endpoint, or of what there is in code alone. Several gates of an endpoint have a word after it. */
  name: string
  /** What it says to who has shown a first factor alone. */
  refusal: Said
  /** What it says to who rose by a trusted device. Default: the same. */
  toDevice?: Said
  /** What it says to who has shown the second factor. Each is asked after those above it, by the same person. */
  passes: readonly Said[]
  /** The method whose proof it takes away with what it removes: whoever has shown that one knocks nowhere after it. */
  endsProofBy?: string
  knock(asked: Knock): Promise<Said>
}

const said = ({ status, body }: Answer): Said =>
  body?.error_code === undefined ? [status] : [status, body.error_code]

const called = (calling: Promise<unknown>): Promise<Said> =>
  calling.then(
    () => [200],
    ({ status, code }) => [status, code],
  )

/** What is asked at an endpoint, once its path is filled. */
const by =
  (method: string, pathOf: (asked: Knock) => string, bodyOf?: (asked: Knock) => object) =>
  async (asked: Knock): Promise<Said> =>
    said(
      await asked.world.auth.request(method, pathOf(asked), {
        token: asked.token,
        ...(bodyOf && { body: bodyOf(asked) }),
      }),
    )

const unknownId = '7f3a3f0c-0000-4000-8000-000000000000'
const insufficient = (status: number): Said => [status, 'insufficient_aal']

let made = 0

/** Changes of the user that open a door; others ask for nothing. */
const ofUser = (what: string, bodyOf: () => object): Gate => ({
  name: `PUT /user, ${what}`,
  refusal: insufficient(401),
  passes: [[200]],
  knock: by('PUT', () => '/user', bodyOf),
})

const recoveryCodes = '/factors/recovery-codes'

const requireUser =
  (required: object) =>
  ({ world, token }: Knock): Promise<Said> =>
    called(world.auth.auth.requireUser({ headers: { authorization: `Bearer ${token}` } }, required))

/** Every one, in an order in which one person passes them all. */
export const gates: readonly Gate[] = [
  {
    name: 'auth.requireUser, aal 2',
    refusal: insufficient(403),
    toDevice: [200],
    passes: [[200]],
    knock: requireUser({ aal: 2 }),
  },
  {
    name: 'auth.requireUser, aal 2 within 5m',
    refusal: insufficient(403),
    toDevice: [403, 'reauthentication_needed'],
    passes: [[200]],
    knock: requireUser({ aal: 2, within: '5m' }),
  },
  {
    name: 'auth.api.getProviderToken',
    refusal: insufficient(403),
    passes: [
      [404, 'identity_not_found'],
      [404, 'provider_token_not_found'],
    ],
    knock: ({ world, token: accessToken }) =>
      called(world.auth.auth.api.getProviderToken({ accessToken, provider: 'keycloak' })),
  },
  {
    name: 'GET /admin/users',
    refusal: insufficient(403),
    passes: [[200]],
    knock: by('GET', () => '/admin/users'),
  },
  {
    name: 'GET /user/identities/authorize',
    refusal: insufficient(403),
    passes: [[200]],
    knock: by('GET', () => '/user/identities/authorize?provider=keycloak&skip_http_redirect=true'),
  },
  {
    name: 'POST /token, id_token that links',
    refusal: insufficient(403),
    passes: [[200]],
    knock: by(
      'POST',
      () => '/token?grant_type=id_token',
      ({ world }) => ({ provider: 'acme', id_token: world.idToken(), link_identity: true }),
    ),
  },
  {
    name: 'DELETE /user/identities/{identity_id}',
    refusal: insufficient(403),
    passes: [[200]],
    knock: by('DELETE', ({ identityId }) => `/user/identities/${identityId}`),
  },
  {
    name: 'POST /factors',
    refusal: insufficient(403),
    passes: [[200]],
    knock: by(
      'POST',
      () => '/factors',
      () => ({ factor_type: 'totp', friendly_name: `one more ${++made}` }),
    ),
  },
  {
    name: 'POST /factors/{factor_id}/challenge, of one that was begun',
    refusal: insufficient(403),
    passes: [[200]],
    knock: by(
      'POST',
      ({ begunId }) => `/factors/${begunId}/challenge`,
      () => ({}),
    ),
  },
  {
    name: 'POST /factors/{factor_id}/verify, of one that was begun',
    refusal: insufficient(403),
    passes: [[422, 'mfa_factor_not_found']],
    knock: by(
      'POST',
      ({ begunId }) => `/factors/${begunId}/verify`,
      () => ({ challenge_id: unknownId, code: '123456' }),
    ),
  },
  {
    name: `POST ${recoveryCodes}`,
    refusal: insufficient(403),
    passes: [[200], [422, 'mfa_verified_factor_exists']],
    knock: by(
      'POST',
      () => recoveryCodes,
      () => ({}),
    ),
  },
  {
    name: `POST ${recoveryCodes}/regenerate`,
    refusal: insufficient(403),
    passes: [[200]],
    knock: by('POST', () => `${recoveryCodes}/regenerate`),
  },
  {
    name: `DELETE ${recoveryCodes}`,
    endsProofBy: 'mfa/recovery_code',
    refusal: insufficient(422),
    passes: [[200]],
    knock: by('DELETE', () => recoveryCodes),
  },
  {
    name: 'POST /passkeys/registration/options',
    refusal: insufficient(403),
    passes: [[200]],
    knock: by(
      'POST',
      () => '/passkeys/registration/options',
      () => ({}),
    ),
  },
  {
    name: 'POST /passkeys/registration/verify',
    refusal: insufficient(403),
    passes: [[400, 'webauthn_challenge_not_found']],
    knock: by(
      'POST',
      () => '/passkeys/registration/verify',
      () => ({ challenge_id: unknownId, credential: newCredential() }),
    ),
  },
  {
    name: 'DELETE /passkeys/{passkey_id}',
    refusal: insufficient(403),
    passes: [[204]],
    knock: by('DELETE', ({ passkeyId }) => `/passkeys/${passkeyId}`),
  },
  {
    name: 'POST /trusted-devices',
    refusal: insufficient(403),
    passes: [[200]],
    knock: by(
      'POST',
      () => '/trusted-devices',
      () => ({}),
    ),
  },
  ofUser('an email', () => ({ email: `passed-${++made}@example.test` })),
  ofUser('a phone', () => ({ phone: `+491599${String(++made).padStart(7, '0')}` })),
  ofUser('a password', () => ({ password: 'a brand new password' })),
  {
    name: 'DELETE /user',
    refusal: insufficient(403),
    passes: [[400, 'invalid_credentials']],
    knock: by(
      'DELETE',
      () => '/user',
      () => ({ password: 'wrong' }),
    ),
  },
  // The last one: it takes away what the others ask for.
  {
    name: 'DELETE /factors/{factor_id}',
    refusal: insufficient(422),
    passes: [[200]],
    knock: by('DELETE', ({ factorId }) => `/factors/${factorId}`),
  },
]

const newCredential = () =>
  createAuthenticator().create({
    challenge: 'AA',
    rp: { id: 'app.example.test' },
    user: { id: 'AA' },
  })

/** The files of `src/` that look whether a second factor was shown, and the gates that they are behind. */
export const gatekeepers: Readonly<Record<string, readonly string[]>> = {
  'service/api/step-up.ts': ['auth.requireUser'],
  'service/api/viewer.ts': ['auth.requireUser'],
  'service/create-auth.ts': ['auth.requireUser'],
  'accounts/external-sign-in/create-authorization-request.ts': ['GET /user/identities/authorize'],
  'endpoints/identities/unlink-identity.ts': ['DELETE /user/identities/{identity_id}'],
  'endpoints/passkeys/own-passkeys.ts': ['DELETE /passkeys/{passkey_id}'],
  'endpoints/passkeys/register-passkey.ts': ['POST /passkeys/registration/verify'],
  'endpoints/passkeys/require-passkeys.ts': [],
  'endpoints/passkeys/start-registration.ts': ['POST /passkeys/registration/options'],
  'endpoints/provider-tokens/get-provider-token.ts': ['auth.api.getProviderToken'],
  'endpoints/second-factor/enroll-factor.ts': ['POST /factors'],
  'endpoints/second-factor/generate-recovery-codes.ts': [
    `POST ${recoveryCodes}`,
    `POST ${recoveryCodes}/regenerate`,
  ],
  'endpoints/second-factor/own-factor.ts': [
    'POST /factors/{factor_id}/challenge',
    'POST /factors/{factor_id}/verify',
  ],
  'endpoints/second-factor/own-recovery-codes.ts': [`DELETE ${recoveryCodes}`],
  'endpoints/second-factor/unenroll-factor.ts': ['DELETE /factors/{factor_id}'],
  'endpoints/token/sign-in-with-id-token.ts': ['POST /token'],
  'endpoints/trusted-devices/trust-device.ts': ['POST /trusted-devices'],
  'endpoints/user/delete-own-user.ts': ['DELETE /user'],
  'endpoints/user/update-user.ts': ['PUT /user'],
  'accounts/callers/authenticate-admin.ts': ['GET /admin/users'],
  // The own credentials of operators: see operators.test.ts.
  'endpoints/admin-users/update-user.ts': [],
  'endpoints/admin-users/user-factors.ts': [],
  'endpoints/generate-link/generate-link.ts': [],
  // What the others ask.
  'accounts/callers/authenticate-caller.ts': [],
  'accounts/external-sign-in/decide-account.ts': [],
  'accounts/callers/recent-proof.ts': [],
}
