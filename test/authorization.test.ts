import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CallerCase,
  callers,
  describeCaller,
  idsOf,
  prepareCaller,
} from './support/authorization/callers.ts'
import {
  type EntryPoint,
  endpointsOf,
  type Ids,
  namedEndpoints,
  pathOf,
  type StatusAndCode,
} from './support/authorization/entry-points.ts'
import { methodsOf, undescribedMethods } from './support/authorization/methods.ts'
import { verdict } from './support/authorization/verdict.ts'
import {
  type GivenSession,
  startTestAuth,
  type TestAuth,
  testPassword,
  testSecret,
} from './support/test-auth.ts'

// Access to each endpoint of the app. A new one is for operators until
// support/authorization/entry-points.ts lists it, and is tested as such.

/** Another user than the caller, with resources that requests refer to. */
interface Target extends GivenSession {
  ids: Ids
}

let auth: TestAuth
/** Endpoints and methods. */
let entryPoints: EntryPoint[]
let target: Target
/** Ids without a row. */
const unknownIds = Object.fromEntries(
  [
    'user_id',
    'factor_id',
    'passkey_id',
    'device_id',
    'authorization_id',
    'client_id',
    'challenge_id',
    'session_id',
    'identity_id',
  ].map((name) => [name, '7f3a3f0c-0000-4000-8000-000000000000']),
) as unknown as Ids

beforeAll(async () => {
  auth = await startTestAuth({
    oauthServer: {
      enabled: true,
      allowDynamicRegistration: true,
      authorizationPath: '/consent',
      deviceFlow: { enabled: true },
    },
    security: { ownDeletionEnabled: true, manualLinkingEnabled: true },
    passkeys: { enabled: true, signUpEnabled: true },
    mfa: {
      trustedDevices: { enabled: true },
      webAuthn: { enrollEnabled: true, verifyEnabled: true },
    },
    providers: { keycloak: { clientId: 'client', clientSecret: 'secret', url: 'https://kc.test' } },
    hooks: { sendEmail: async () => {} },
  })
  entryPoints = [...(await endpointsOf(auth)), ...methodsOf(auth)]
  const session = await auth.given.session()
  target = { ...session, ids: await idsOf(auth, session.user.id, session.accessToken) }
})
afterAll(() => auth.close())

/** Tables with rows that a rejected request may store: its decision, and the count of a limit. */
const storedByRejections: readonly string[] = ['decisions', 'rate_limit_buckets']

/** Returns the number of rows that a request could change, and a hash of them, by table. */
async function everything(): Promise<Record<string, unknown>> {
  const [found] = await auth.rows<{ tables: string[] }>(
    `select array_agg(table_name::text) as tables from information_schema.tables
      where table_schema = 'auth' and table_type = 'BASE TABLE'`,
  )
  const tables = (found?.tables ?? []).filter((table) => !storedByRejections.includes(table))
  const rowsOf = (table: string) =>
    `(select json_build_array(count(*), sum(hashtextextended(t::text, 0))) from auth.${table} t)
      as ${table}`
  const [rows = {}] = await auth.rows<Record<string, unknown>>(
    `select ${tables.map(rowsOf).join()}`,
  )
  return rows
}

const isFor = (whom: EntryPoint['demand']['of']) => (entryPoint: EntryPoint) =>
  entryPoint.demand.of === whom

type NamedResult = [entryPoint: string, ...StatusAndCode]

/** Returns the response of each endpoint to the same token, in sequence. */
async function sendAll(
  at: readonly EntryPoint[],
  token: string | null,
  idsFor: (entryPoint: EntryPoint) => Ids,
): Promise<NamedResult[]> {
  const outcomes: NamedResult[] = []
  for (const entryPoint of at) {
    outcomes.push([
      entryPoint.name,
      ...(await entryPoint.send(token, idsFor(entryPoint), 'harmless')),
    ])
  }
  return outcomes
}

/** Expects each endpoint to reject the request with the expected error, and no row to change. */
async function expectRejections(
  at: readonly EntryPoint[],
  token: string | null,
  rejectionOf: (entryPoint: EntryPoint) => StatusAndCode,
  own = target.ids,
): Promise<void> {
  const before = await everything()
  const outcomes = await Promise.all(
    at.map(async (entryPoint): Promise<NamedResult> => {
      const ids = isFor('people')(entryPoint) ? own : target.ids
      return [entryPoint.name, ...(await entryPoint.send(token, ids, 'full'))]
    }),
  )
  expect(outcomes).toEqual(at.map((entryPoint) => [entryPoint.name, ...rejectionOf(entryPoint)]))
  expect(await everything()).toEqual(before)
}

const isByDevice = ({ demand }: EntryPoint): boolean =>
  demand.of === 'people' && demand.acceptsDevice === true

const isRefusedFor = ([, status, code]: NamedResult): boolean =>
  status === 401 || status === 403 || code === 'insufficient_aal'

describe.each(callers.map((caller) => [describeCaller(caller), caller] as const))(
  'T36, T37: %s',
  (_name, caller: CallerCase) => {
    it('is accepted by the endpoints for this caller, for own resources only', async () => {
      const { token, ids: own } = await prepareCaller(auth, caller)
      const rejectionOf = ({ demand }: EntryPoint) => verdict(demand, caller)
      const shut = entryPoints.filter((entryPoint) => rejectionOf(entryPoint) !== null)
      const open = entryPoints.filter(
        (entryPoint) => !isFor('anybody')(entryPoint) && rejectionOf(entryPoint) === null,
      )

      await expectRejections(
        shut,
        token,
        (entryPoint) => rejectionOf(entryPoint) as StatusAndCode,
        own,
      )
      await expectNothingOfOthers(open, token, own)
      const idsFor = (entryPoint: EntryPoint) => (isFor('people')(entryPoint) ? own : unknownIds)
      // Others remove the trusted device.
      const ordered = [...open.filter(isByDevice), ...open.filter((one) => !isByDevice(one))]
      const outcomes = await sendAll(ordered, token, idsFor)
      expect(outcomes.filter(isRefusedFor)).toEqual([])
    })
  },
)

/**
 * Replaces each id by that of another user; for operators, by one that does not belong to the user
 * of the other id.
 */
async function expectNothingOfOthers(
  open: readonly EntryPoint[],
  token: string,
  own: Ids,
): Promise<void> {
  const before = await everything()
  for (const entryPoint of open) {
    const swapped = isFor('people')(entryPoint) ? entryPoint.ids : entryPoint.ids.slice(1)
    for (const name of swapped) {
      const [status, code] = await entryPoint.send(
        token,
        { ...own, [name]: target.ids[name] },
        'full',
      )
      expect([404, 422], `${entryPoint.name} with another ${name}`).toContain(status)
      const notFound = entryPoint.name.toLowerCase().includes('passkey')
        ? ['validation_failed']
        : [
            'mfa_factor_not_found',
            'session_not_found',
            'identity_not_found',
            'trusted_device_not_found',
            'oauth_authorization_not_found',
            'oauth_client_not_found',
            'oauth_consent_not_found',
          ]
      expect(notFound, `${entryPoint.name} with another ${name}`).toContain(code)
    }
  }
  expect(await everything()).toEqual(before)
}

const now = () => Math.floor(auth.clock.now().getTime() / 1000)
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Creates a token by hand, signed with a secret or unsigned. */
function handMade(claims: object, { secret = testSecret, alg = 'HS256' } = {}): string {
  const text = `${part({ alg, typ: 'JWT' })}.${part({ exp: now() + 600, ...claims })}`
  if (alg === 'none') return `${text}.`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** Returns the token with other claims, under the first signature. */
function rewritten(token: string, claims: object): string {
  const [header, payload = '', signature] = token.split('.')
  const old = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return [header, part({ ...old, ...claims }), signature].join('.')
}

/** Invalid tokens. */
const badTokens: [string, () => string][] = [
  ['expired', () => handMade({ role: 'service_role', sub: target.user.id, exp: now() - 5 })],
  ['not yet valid', () => handMade({ role: 'service_role', nbf: now() + 500 })],
  ['wrongly signed', () => handMade({ role: 'service_role' }, { secret: 'x'.repeat(40) })],
  ['of alg none', () => handMade({ role: 'service_role' }, { alg: 'none' })],
  ['for another audience', () => handMade({ role: 'service_role', aud: 'elsewhere' })],
  ['whose role was forged', () => rewritten(target.accessToken, { role: 'service_role' })],
  ['whose user was forged', () => rewritten(target.accessToken, { sub: unknownIds.user_id })],
  ['that is none', () => 'x.y.z'],
]

const guarded = () => entryPoints.filter((entryPoint) => !isFor('anybody')(entryPoint))

describe('T36: an unauthenticated client', () => {
  it('is rejected without a token', async () => {
    await expectRejections(guarded(), null, () => [401, 'no_authorization'])
  })

  it.each(badTokens)('is rejected with a token %s', async (_what, tokenOf) => {
    await expectRejections(guarded(), tokenOf(), () => [403, 'bad_jwt'])
  })

  it.each([
    ['of another role', () => ({ role: 'anon' })],
    ['of several roles', () => ({ role: ['service_role'] })],
    ['of a role in letters of another case', () => ({ role: 'Service_Role' })],
    [
      'that says in its metadata who is an operator',
      () => ({ app_metadata: { role: 'service_role' } }),
    ],
    // A value that cannot be converted to text.
    ['that is named by an object', () => ({ sub: { toString: '' } })],
  ])('is no operator with a token %s', async (_what, claimsOf) => {
    const operatorEntryPoints = entryPoints.filter(isFor('operators'))

    await expectRejections(operatorEntryPoints, handMade(claimsOf()), () => [403, 'not_admin'])
  })

  it('has the same access with any token as without one', async () => {
    const open = entryPoints.filter(isFor('anybody'))
    const ask = (token: string | null) => sendAll(open, token, () => unknownIds)
    const withNone = await ask(null)

    for (const [, tokenOf] of badTokens) expect(await ask(tokenOf())).toEqual(withNone)
    expect(await ask(await auth.given.serviceToken())).toEqual(withNone)
  })
})

describe('T36: a token of operators', () => {
  it('is accepted by the endpoints of operators, and not by those of users', async () => {
    const token = await auth.given.serviceToken()
    const mine = entryPoints.filter(isFor('operators'))

    await expectRejections(entryPoints.filter(isFor('people')), token, () => [403, 'bad_jwt'])
    const outcomes = await sendAll(mine, token, () => unknownIds)

    expect(outcomes.filter(isRefusedFor)).toEqual([])
  })
})

it('contains every endpoint of the list, and recognizes those of operators by their paths', () => {
  const names = entryPoints.map(({ name }) => name)

  for (const name of namedEndpoints) expect(names).toContain(name)
  const ofOperators = entryPoints.filter(isFor('operators')).map(({ name }) => name)
  expect(ofOperators).toContain('DELETE /admin/users/:user_id')
  for (const name of ofOperators) expect(name).toMatch(/^\w+ \/(admin\/|invite$)/)
  const others = names.filter((name) => !ofOperators.includes(name))
  for (const name of others) expect(name).not.toMatch(/\/(admin|invite)\b/)
})

it('contains no unreviewed endpoint for anyone', () => {
  const open = entryPoints.filter(isFor('anybody')).map(({ name }) => name)

  expect([...new Set(open)].sort()).toEqual([
    'GET /.well-known/jwks.json',
    'GET /.well-known/oauth-authorization-server',
    'GET /.well-known/oauth-protected-resource',
    'GET /.well-known/openid-configuration',
    'GET /authorize',
    'GET /callback',
    'GET /callback/:provider',
    'GET /health',
    'GET /oauth/authorize',
    'GET /oauth/logout',
    'GET /oauth/userinfo',
    'GET /ready',
    'GET /settings',
    'GET /sso/saml/metadata',
    'GET /verify',
    'POST /callback',
    'POST /callback/:provider',
    'POST /magiclink',
    'POST /oauth/authorize',
    'POST /oauth/clients/register',
    'POST /oauth/device_authorization',
    'POST /oauth/introspect',
    'POST /oauth/logout',
    'POST /oauth/par',
    'POST /oauth/revoke',
    'POST /oauth/token',
    'POST /oauth/userinfo',
    'POST /otp',
    'POST /passkeys/authentication/options',
    'POST /passkeys/authentication/verify',
    'POST /passkeys/signup/options',
    'POST /passkeys/signup/verify',
    'POST /recover',
    'POST /resend',
    'POST /signup',
    'POST /sso',
    'POST /sso/saml/acs',
    'POST /token',
    'POST /verify',
  ])
})

it('contains every method of auth.api: each takes an access token, or is listed here', () => {
  expect(undescribedMethods).toEqual(['explainRedirect'])
})

it('T36: no client becomes an operator by its own metadata or request', async () => {
  const { user, accessToken } = await auth.given.session()
  const data = { role: 'service_role', app_metadata: { role: 'service_role' } }
  await auth.put('/user', { ...data, data }, { token: accessToken })
  await auth.put('/user', { role: 'service_role', data }, { token: accessToken })
  const again = { email: user.email ?? '', password: testPassword }
  const { session } = await auth.auth.api.signInWithPassword(again)

  await expectRejections(entryPoints.filter(isFor('operators')), session.accessToken, () => [
    ...([403, 'not_admin'] as const),
  ])
})

describe('an endpoint with an id in its path', () => {
  const lengthOf = (path: string) => path.split('/').filter((part) => part !== '').length
  const leadsAway = (path: string, ids: Partial<Ids>) => {
    const { pathname } = new URL(pathOf(path, ids), 'http://auth.test')
    return lengthOf(pathname) !== lengthOf(path)
  }

  it.each([
    'ada',
    '0',
    'null',
    '*',
    '%00',
    '%20',
    '%ff',
    "'",
    '1%20or%201=1',
    '../users',
    '..%2fusers',
    '%2e%2e%2fusers',
    '%2e%2e',
    '..',
    './',
    '..;',
    '..%5cusers',
    '%252e%252e%252fusers',
    'ID%20',
    'ID%00',
    'ID%2f..',
    'ID/..',
    'ID/../',
    'ID%2f',
    'ID,ID',
    '{ID}',
    'urn:uuid:ID',
  ])('T23: rejects %s as an id, without effect', async (form) => {
    const operator = await auth.given.serviceToken()
    const before = await everything()

    for (const entryPoint of entryPoints.filter(({ name }) => name.includes(':'))) {
      const [method = '', path = ''] = entryPoint.name.split(' ')
      // The name of a provider is not an id.
      const names = entryPoint.ids.filter((id) => id in target.ids && path.includes(`:${id}`))
      for (const name of names) {
        const ids = { ...target.ids, [name]: form.replaceAll('ID', target.ids[name]) }
        // The URL parser resolves `..` before the app receives it: the request then lists, creates, or
        // concerns the user whose factor, passkey, device, identity or session the path contained.
        const leadsOn =
          ['GET', 'POST'].includes(method) ||
          ['factor_id', 'passkey_id', 'device_id', 'identity_id', 'session_id'].includes(name)
        if (leadsOn && leadsAway(path, ids)) continue
        const token = isFor('people')(entryPoint) ? target.accessToken : operator
        const [status, code] = await entryPoint.send(token, ids, 'full')

        expect([400, 404, 405], `${entryPoint.name}: ${code}`).toContain(status)
      }
    }
    expect(await everything()).toEqual(before)
  })
})
