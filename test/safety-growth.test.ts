import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxChallenges } from '../src/accounts/factors/challenges.sql.ts'
import { maxAuthorizationCodes } from '../src/accounts/lifecycle/save-user.sql.ts'
import { maxOneTimeTokens } from '../src/accounts/one-time-tokens/one-time-tokens.sql.ts'
import { maxRegistrations } from '../src/accounts/passkeys/challenges.sql.ts'
import { maxIdentities } from '../src/accounts/users/user.ts'
import { maxConsents } from '../src/capabilities/oauth-server/authorize/decide-authorization.sql.ts'
import { maxPagesPerOwner } from '../src/capabilities/subscribe-pages/write-pages.sql.ts'
import { maxDevices } from '../src/capabilities/trusted-devices/trusted-devices.sql.ts'
import { maxLinkingFlows } from '../src/credentials/oauth-states/oauth-states.sql.ts'
import { guardsOf } from '../src/endpoints/http/guards.ts'
import { type LimitName, requestLimit } from '../src/limits/request-limit.ts'
import { createSweeping } from '../src/service/background/sweep-expired.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { customProvider } from './support/custom-providers.ts'
import {
  type FakeRealm,
  realmSettings,
  signInAtRealm,
  startFakeRealm,
} from './support/fake-realm.ts'
import { type Linking, linking, newPerson } from './support/linking.ts'
import { oauthOf } from './support/oauth-clients.ts'
import { pagesBeside, type TestPages } from './support/pages.ts'
import { type Passkeys, passkeysOf } from './support/passkeys.ts'
import { type SecondFactors, secondFactors } from './support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'
import { waitFor } from './support/wait-for.ts'

// Rule 19, S18: every table to which a request adds rows has a limit per owner and an end. A table
// without an entry below fails the test.

const day = 24 * 60 * 60

let realm: FakeRealm
let auth: TestAuth
let identities: Linking
let passkeys: Passkeys
let factors: SecondFactors
let pages: TestPages

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await startTestAuth({
    email: { autoconfirm: false, maxFrequencySeconds: 60 },
    hooks: { sendEmail: async () => {} },
    security: { manualLinkingEnabled: true },
    sessions: { maxPerUser: 3, timeboxSeconds: day },
    mfa: { maxEnrolledFactors: 2, trustedDevices: { enabled: true } },
    passkeys: { enabled: true, maxPasskeysPerUser: 1 },
    oauthServer: {
      enabled: true,
      allowDynamicRegistration: true,
      authorizationPath: '/consent',
    },
    customOauth: { maxProviders: 3 },
    providers: { keycloak: realmSettings(realm) },
  })
  identities = linking(auth, realm)
  passkeys = passkeysOf(auth)
  factors = secondFactors(auth)
  pages = pagesBeside(auth)
  await pages.admin()
})
afterAll(async () => {
  await auth.close()
  await realm.close()
})

/** The limit of rows per owner. */
type Ceiling =
  /**
   * A number. `exceed` requests more, and returns the number of rows that the owner has afterwards.
   */
  | { most: number; exceed(): Promise<number> }
  /** As many as another table has: the column is unique. */
  | { unique: string }
  /** As many as a client may request while rows are kept. */
  | { limits: readonly LimitName[] }
  /** No request adds rows: only these files do. */
  | { writtenBy: RegExp }

/** The event that deletes rows. */
type End =
  /**
   * A number of days after the insertion, at the latest. `add` adds a row, by default with
   * `exceed`.
   */
  | { sweptAfterDays: number; add?(): Promise<unknown> }
  /** The deletion of the row that they refer to. */
  | { with: string }
  /** Only a request, for this reason. */
  | { kept: string }

interface Growth {
  ceiling: Ceiling
  end: End
}

const growth: Record<string, Growth> = {
  users: {
    ceiling: { limits: ['signup', 'anonymous', 'otp', 'token', 'web3', 'passkey_options'] },
    end: {
      kept: 'accounts end by deletion, stale anonymous ones by anonymousUsers.staleAfterSeconds',
    },
  },
  identities: {
    ceiling: {
      most: maxIdentities,
      exceed: async () => {
        const { user, accessToken } = await auth.given.session()
        const changes = `'provider', 'other', 'subject', gen_random_uuid()`
        await copy('identities', 'user_id', user.id, maxIdentities - 1, changes)
        const { query } = await identities.link(accessToken, newPerson())
        expect(query['error_code']).toBe('too_many_identities')
        const verified = { ...newPerson(), email: user.email ?? '' }
        const signedIn = await signInAtRealm(auth, realm, verified)
        expect(signedIn.query['error_code']).toBe('too_many_identities')
        return count('identities', 'user_id', user.id)
      },
    },
    end: { with: 'users' },
  },
  provider_tokens: { ceiling: { unique: 'identity_id' }, end: { with: 'identities' } },
  sessions: {
    ceiling: {
      most: 3,
      exceed: async () => {
        const { id, email } = await auth.given.user()
        for (let n = 0; n < 5; n += 1) await factors.signIn(email)
        return count('sessions', 'user_id', id)
      },
    },
    end: { sweptAfterDays: 8.1 },
  },
  factors: {
    ceiling: {
      most: 2,
      exceed: async () => {
        const { user, accessToken } = await auth.given.session()
        for (const friendly_name of ['one', 'two', 'three']) {
          await factors.enroll(accessToken, { factor_type: 'totp', friendly_name })
        }
        return count('factors', 'user_id', user.id)
      },
    },
    end: { with: 'users' },
  },
  challenges: {
    ceiling: {
      most: maxChallenges,
      exceed: async () => {
        const { app, accessToken } = await factors.begun()
        await copy('challenges', 'factor_id', app.id, maxChallenges + 50)
        await factors.challenge(accessToken, app.id)
        return count('challenges', 'factor_id', app.id)
      },
    },
    end: { sweptAfterDays: 1.1 },
  },
  recovery_codes: {
    ceiling: {
      most: 10,
      exceed: async () => {
        const { accessToken, setId } = await factors.recoverableSession()
        await auth.post('/factors/recovery-codes/regenerate', {}, { token: accessToken })
        return count('recovery_codes', 'factor_id', setId)
      },
    },
    end: { with: 'factors' },
  },
  passkeys: {
    ceiling: {
      most: 1,
      exceed: async () => {
        const { user, accessToken } = await passkeys.holder()
        const { body } = await passkeys.begin(accessToken)
        expect(body.error_code).toBe('too_many_passkeys')
        return count('passkeys', 'user_id', user.id)
      },
    },
    end: { with: 'users' },
  },
  web_authn_challenges: {
    ceiling: {
      most: maxRegistrations,
      exceed: async () => {
        const { user, accessToken } = await auth.given.session()
        await passkeys.begin(accessToken)
        await copy('web_authn_challenges', 'user_id', user.id, maxRegistrations + 50)
        await passkeys.begin(accessToken)
        return count('web_authn_challenges', 'user_id', user.id)
      },
    },
    end: { sweptAfterDays: 0.1 },
  },
  trusted_devices: {
    ceiling: {
      most: maxDevices,
      exceed: async () => {
        const { user, accessToken: token } = await factors.aal2Session()
        for (let n = 0; n < maxDevices + 2; n += 1)
          await auth.post('/trusted-devices', {}, { token })
        return count('trusted_devices', 'user_id', user.id)
      },
    },
    end: { sweptAfterDays: 30.1 },
  },
  custom_providers: {
    ceiling: {
      most: 3,
      exceed: async () => {
        const token = await auth.given.serviceToken()
        for (let n = 0; n < 5; n += 1) {
          await auth.post('/admin/custom-providers', customProvider(`custom:club-${n}`), { token })
        }
        const [row] = await auth.rows<{ n: number }>(
          'select count(*)::int as n from auth.custom_providers',
        )
        return row?.n ?? 0
      },
    },
    end: { kept: 'operators delete the providers that they registered' },
  },
  oauth_clients: {
    ceiling: { limits: ['oauth_register'] },
    end: { sweptAfterDays: 30.1, add: () => registeredClient() },
  },
  oauth_authorizations: {
    ceiling: { limits: ['authorize'] },
    end: {
      sweptAfterDays: 0.1,
      add: async () => oauthOf(auth).begin({ id: await registeredClient(), secret: null }),
    },
  },
  oauth_consents: {
    ceiling: {
      most: maxConsents,
      exceed: async () => {
        const { user, accessToken } = await auth.given.session()
        const id = await registeredClient()
        const others = await auth.rows<{ id: string }>(
          `insert into auth.oauth_clients select (jsonb_populate_record(c, jsonb_build_object(
            'id', gen_random_uuid()))).* from auth.oauth_clients c, generate_series(1, $2::int)
            where c.id = $1 returning id`,
          [id, maxConsents],
        )
        await auth.rows(
          `insert into auth.oauth_consents select gen_random_uuid(), $1, id, '[]', '[]', now()
            from unnest($2::text[]) id`,
          [user.id, `{${others.map((one) => one.id).join()}}`],
        )
        const oauth = oauthOf(auth)
        const request = await oauth.begin({ id, secret: null })
        await oauth.open(request, accessToken)
        expect((await oauth.decide(request, accessToken)).status).toBe(200)
        return count('oauth_consents', 'user_id', user.id)
      },
    },
    end: { with: 'oauth_clients' },
  },
  oauth_spent_proofs: {
    ceiling: { limits: ['token'] },
    end: {
      sweptAfterDays: 1,
      add: () =>
        auth.rows(`insert into auth.oauth_spent_proofs values ('hash', $1)`, [
          auth.clock.now().toISOString(),
        ]),
    },
  },
  one_time_tokens: {
    ceiling: {
      most: maxOneTimeTokens,
      exceed: async () => {
        const user = await recoverable()
        const changes = `'requested_from', gen_random_uuid()`
        await copy('one_time_tokens', 'user_id', user.id, maxOneTimeTokens + 50, changes)
        await auth.post('/recover', { email: user.email }, { ip: '203.0.113.9' })
        return count('one_time_tokens', 'user_id', user.id)
      },
    },
    end: { sweptAfterDays: 2.1 },
  },
  authorization_codes: {
    ceiling: {
      most: maxAuthorizationCodes,
      exceed: async () => {
        const person = newPerson()
        const query = { code_challenge: 'v'.repeat(43), code_challenge_method: 'plain' }
        await signInAtRealm(auth, realm, person, query)
        const { id = '' } = (await auth.auth.admin.findUser({ email: person.email })) ?? {}
        const changes = `'code_hash', gen_random_uuid()`
        await copy('authorization_codes', 'user_id', id, maxAuthorizationCodes + 50, changes)
        await signInAtRealm(auth, realm, person, query)
        return count('authorization_codes', 'user_id', id)
      },
    },
    end: { sweptAfterDays: 1.1 },
  },
  oauth_states: {
    ceiling: {
      most: maxLinkingFlows,
      exceed: async () => {
        const { user, accessToken } = await auth.given.session()
        await identities.startLinking(accessToken)
        await copy('oauth_states', 'linking_user_id', user.id, maxLinkingFlows + 50)
        await identities.startLinking(accessToken)
        return count('oauth_states', 'linking_user_id', user.id)
      },
    },
    end: { sweptAfterDays: 0.1 },
  },
  outbox_messages: {
    ceiling: { limits: ['token', 'otp', 'signup', 'recover', 'resend', 'verify', 'update_user'] },
    end: {
      sweptAfterDays: 7.1,
      add: async () => {
        await recoverable()
        await waitFor(async () => {
          const waiting = await auth.rows(
            'select from auth.outbox_messages where settled_at is null',
          )
          expect(waiting).toHaveLength(0)
        })
      },
    },
  },
  audit_entries: {
    ceiling: { limits: ['token', 'otp', 'signup', 'recover', 'resend', 'verify', 'update_user'] },
    end: { sweptAfterDays: 365.1, add: () => auth.given.session() },
  },
  activity_counts: {
    ceiling: { writtenBy: /^capabilities\/console\/activity\.sql\.ts$/ },
    end: { kept: 'five rows for each hour; the count deletes those of more than 400 days ago' },
  },
  decisions: {
    ceiling: { limits: ['token', 'otp', 'signup', 'recover', 'resend', 'verify', 'update_user'] },
    end: {
      sweptAfterDays: 1.1,
      add: async () => {
        await auth.get('/authorize?provider=keycloak&redirect_to=https://evil.test')
        await signInWrongly()
        await (await auth.deps()).decisions.flush()
      },
    },
  },
  rate_limit_buckets: {
    ceiling: { limits: ['otp', 'signup', 'recover', 'resend', 'verify'] },
    end: { sweptAfterDays: 1.1, add: () => recoverable() },
  },
  password_attempts: {
    ceiling: { limits: ['token', 'update_user'] },
    end: { sweptAfterDays: 1.1, add: () => signInWrongly() },
  },
  spent_id_tokens: {
    ceiling: { limits: ['token'] },
    end: {
      sweptAfterDays: 1.1,
      add: () => auth.rows(`insert into auth.spent_id_tokens values ('a', $1)`, [auth.clock.now()]),
    },
  },
  spent_wallet_messages: {
    ceiling: { limits: ['web3'] },
    end: {
      sweptAfterDays: 1.1,
      add: () =>
        auth.rows(`insert into auth.spent_wallet_messages values ('a', $1)`, [auth.clock.now()]),
    },
  },
  signing_keys: {
    ceiling: { writtenBy: /^credentials\/access-tokens\/signing-keys\.sql\.ts$/ },
    end: { kept: 'made by rotation; retired keys explain old tokens' },
  },
  imported_tokens: {
    ceiling: { writtenBy: /^accounts\/sessions\/store-imported-sessions\.sql\.ts$/ },
    end: { with: 'sessions' },
  },
  imported_sessions: {
    ceiling: { writtenBy: /^accounts\/sessions\/store-imported-sessions\.sql\.ts$/ },
    end: { kept: 'a repeated import stores no session that has ended' },
  },
  imported_factors: {
    ceiling: { writtenBy: /^accounts\/lifecycle\/store-imported-factors\.sql\.ts$/ },
    end: { kept: 'a repeated import stores no factor that was removed' },
  },
  imported_passkeys: {
    ceiling: { writtenBy: /^accounts\/passkeys\/store-imported-passkeys\.sql\.ts$/ },
    end: { kept: 'a repeated import stores no passkey that was removed' },
  },
  imported_users: {
    ceiling: { writtenBy: /^accounts\/users\/imported-users\.sql\.ts$/ },
    end: { kept: 'a repeated import stores no user who was deleted' },
  },
  latchkey_migrations: {
    ceiling: { writtenBy: /^service\/persistence\// },
    end: { kept: 'the steps that the schema has taken' },
  },
  subscriber_lists: {
    ceiling: { writtenBy: /^capabilities\/subscribe-pages\/subscriber-lists\.sql\.ts$/ },
    end: { kept: 'the application makes and deletes them, in code' },
  },
  subscribe_page_owners: { ceiling: { unique: 'user_id' }, end: { with: 'users' } },
  subscribe_page_keys: { ceiling: { unique: 'session_id' }, end: { with: 'sessions' } },
  subscribe_page_entries: {
    ceiling: { unique: 'page_id, key' },
    end: { with: 'subscribe_pages' },
  },
  subscribe_pages: {
    ceiling: {
      most: maxPagesPerOwner,
      exceed: async () => {
        const { key } = await pages.admin(allPrivileges)
        const { owner } = await pages.page(key)
        await copy('subscribe_pages', 'owner_id', owner.id, maxPagesPerOwner - 1, `'id', 9000 + n`)
        const body = { title: 'One more', active: true }
        expect((await pages.ask('POST', '/subscribe-pages', { key, body })).status).toBe(422)
        const another = await pages.page((await pages.admin(allPrivileges)).key)
        const put = (id: number) => pages.ask('PUT', `/subscribe-pages/${id}`, { key, body })
        expect((await put(another.id)).status).toBe(422)
        expect((await put(9001)).status).toBe(200)
        return count('subscribe_pages', 'owner_id', owner.id)
      },
    },
    end: { kept: 'administrators delete them' },
  },
}

const allPrivileges = { subscribers: true, campaigns: true, statistics: true, settings: true }

/** Creates a user with a message of `/recover`. */
async function recoverable() {
  const user = await auth.given.user()
  await auth.post('/recover', { email: user.email })
  return user
}

/** Registers a client without an operator, and returns its id. */
async function registeredClient(): Promise<string> {
  const redirect_uris = ['https://client.example.test/cb']
  const { body } = await auth.post('/oauth/clients/register', { redirect_uris })
  return body.client_id
}

const signInWrongly = () =>
  auth.post('/token?grant_type=password', { email: 'no@example.test', password: testPassword })

const count = async (table: string, column: string, id: unknown): Promise<number> =>
  (await auth.rows(`select from auth.${table} where ${column} = $1`, [id])).length

/** Inserts copies of a row, with other values. */
const copy = (
  table: string,
  column: string,
  id: unknown,
  copies: number,
  changes = `'id', gen_random_uuid()`,
) =>
  auth.rows(
    `insert into auth.${table} select (jsonb_populate_record(t, jsonb_build_object(
      'id', gen_random_uuid(), ${changes}))).* from auth.${table} t, generate_series(1, ${copies}) n
      where t.ctid = (select ctid from auth.${table} where ${column} = $1 limit 1)`,
    [id],
  )

const entries = Object.entries(growth)
const ceilings = entries.map(([table, { ceiling }]) => [table, ceiling] as const)
const ends = entries.map(([table, { end }]) => [table, end] as const)

it('S18: every table has an entry', async () => {
  const stored = await auth.rows<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'auth'`,
  )

  expect(Object.keys(growth).toSorted()).toEqual(stored.map(({ name }) => name).toSorted())
})

describe('S18: the rows of one owner', () => {
  it.each(
    ceilings.flatMap(([table, ceiling]) => ('most' in ceiling ? [[table, ceiling] as const] : [])),
  )('in %s have a limit', async (_table, { most, exceed }) => {
    expect(await exceed()).toBe(most)
  })

  it.each(
    ceilings.flatMap(([table, ceiling]) =>
      'unique' in ceiling ? [[table, ceiling] as const] : [],
    ),
  )('in %s are unique', async (table, { unique }) => {
    const indexes = await auth.rows<{ indexdef: string }>(
      `select indexdef from pg_indexes where schemaname = 'auth' and tablename = $1`,
      [table],
    )

    const texts = indexes.map(({ indexdef }) => indexdef).join('\n')
    expect(texts).toMatch(new RegExp(`UNIQUE INDEX .* \\(${unique}\\)$`, 'm'))
  })

  it('in other tables are as many as a limit per client permits', async () => {
    const plain = await startTestAuth({ rateLimits: {} })
    const { rateLimits } = (await plain.deps()).config
    await plain.close()

    const names = ceilings.flatMap(([, ceiling]) => ('limits' in ceiling ? ceiling.limits : []))
    expect(names.filter((name) => requestLimit(rateLimits, name) === null)).toEqual([])
  })

  it.each(
    ceilings.flatMap(([table, ceiling]) =>
      'writtenBy' in ceiling ? [[table, ceiling] as const] : [],
    ),
  )('in %s are added by no request', (table, { writtenBy }) => {
    const writes = new RegExp(`insertRows\\(\\s*'${table}'|insert into \\$\\{[^}]*'${table}'`)
    const writers = sources()
      .filter(([, text]) => writes.test(text))
      .map(([file]) => file)

    expect(writers.filter((file) => !writtenBy.test(file))).toEqual([])
  })
})

it('S18: concurrent requests succeed beyond a limit, and the next one deletes the surplus', async () => {
  const { user, app, accessToken } = await factors.begun()
  const rows = async () => [
    await count('challenges', 'factor_id', app.id),
    await count('web_authn_challenges', 'user_id', user.id),
    await count('oauth_states', 'linking_user_id', user.id),
  ]
  const requestAll = () =>
    Promise.all([
      factors.challenge(accessToken, app.id),
      passkeys.begin(accessToken).then(({ status }) => expect(status).toBe(200)),
      identities.startLinking(accessToken),
    ])
  await requestAll()
  await copy('challenges', 'factor_id', app.id, maxChallenges + 50)
  await copy('web_authn_challenges', 'user_id', user.id, maxRegistrations + 50)
  await copy('oauth_states', 'linking_user_id', user.id, maxLinkingFlows + 50)

  await Promise.all(Array.from({ length: 10 }, requestAll))
  await requestAll()

  expect(await rows()).toEqual([maxChallenges, maxRegistrations, maxLinkingFlows])
})

/** Endpoints without a limit, and the reason why they add no rows. */
const unlimited: Record<string, string> = {
  'POST /sso': 'not available',
  'POST /sso/saml/acs': 'not available',
  'POST /logout': 'ends a session',
  'DELETE /user/sessions': 'ends sessions',
  'DELETE /user/sessions/{session_id}': 'ends a session',
  'DELETE /user/identities/{identity_id}': 'deletes a row',
  'DELETE /factors/{factor_id}': 'deletes a row',
  'DELETE /factors/recovery-codes': 'deletes rows',
  'POST /passkeys/registration/verify': 'consumes a challenge',
  'DELETE /passkeys/{passkey_id}': 'deletes a row',
  'DELETE /trusted-devices/{device_id}': 'deletes a row',
  'GET /reauthenticate': 'has an interval per account',
  'GET /oauth/authorizations/{authorization_id}': 'opens a stored request',
  'GET /oauth/device': 'counts the codes that a user enters',
  'POST /oauth/authorizations/{authorization_id}/consent': 'has a maximum per user',
  'GET /oauth/userinfo': 'counts proofs against the limit of tokens',
  'POST /oauth/userinfo': 'counts proofs against the limit of tokens',
  'DELETE /user/oauth/grants': 'deletes a row',
}
const reads = [
  '/health',
  '/ready',
  '/settings',
  '/.well-known/',
  '/sso/saml/metadata',
  '/user',
  '/passkeys',
]

it('S18: every endpoint that adds rows has a limit per client', () => {
  const without = endpoints.flatMap(({ method, path, guards }) => {
    const { caller, limit } = guardsOf({ guards })
    const isRead = method === 'GET' && reads.some((read) => path.startsWith(read))
    const isList = method === 'GET' && /^\/(trusted-devices|factors\/recovery-codes)$/.test(path)
    const isCounted = limit !== undefined || caller === 'operator'
    return isCounted || isRead || isList ? [] : `${method} ${path}`
  })

  expect(without.toSorted()).toEqual(Object.keys(unlimited).toSorted())
})

describe('S18: rows end', () => {
  it.each(ends.flatMap(([table, end]) => ('sweptAfterDays' in end ? [[table, end] as const] : [])))(
    'in %s by the sweep',
    async (table, { sweptAfterDays, add = adding(table) }) => {
      const rows = async () => (await auth.rows(`select from auth.${table}`)).length
      await add()
      expect(await rows()).toBeGreaterThan(0)
      auth.clock.advance(sweptAfterDays * day)

      await createSweeping(await auth.deps()).sweep(60_000)

      expect(await rows()).toBe(0)
    },
  )

  it.each(ends.flatMap(([table, end]) => ('with' in end ? [[table, end] as const] : [])))(
    'in %s with the row that they refer to',
    async (table, end) => {
      const cascading = await auth.rows(
        `select from pg_constraint where conrelid = $1::regclass and confrelid = $2::regclass
          and contype = 'f' and confdeltype = 'c'`,
        [`auth.${table}`, `auth.${end.with}`],
      )

      expect(cascading).toHaveLength(1)
    },
  )
})

const adding = (table: string): (() => Promise<unknown>) => {
  const ceiling = growth[table]?.ceiling
  if (!ceiling || !('exceed' in ceiling)) throw new Error(`nothing adds rows to ${table}`)
  return ceiling.exceed
}

/** Returns the files of `src`, with their text. */
function sources(): [string, string][] {
  const root = join(import.meta.dirname, '../src')
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')])
}
