import { afterEach, expect, it } from 'vitest'
import type { AuthConfig } from '../src/platform/config/config.ts'
import { idsOf } from './support/authorization/callers.ts'
import {
  type EntryPoint,
  endpointsOf,
  type StatusAndCode,
} from './support/authorization/entry-points.ts'
import { methodsOf } from './support/authorization/methods.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'

// S22: an access token outlives its session. Every endpoint and method rejects it then, through one
// function.

let auth: TestAuth
afterEach(() => auth.close())

const start = async (sessions: AuthConfig['sessions']) => {
  auth = await startTestAuth({
    oauthServer: {
      enabled: true,
      allowDynamicRegistration: true,
      authorizationPath: '/consent',
      deviceFlow: { enabled: true },
    },
    sessions,
    security: { ownDeletionEnabled: true, manualLinkingEnabled: true },
    passkeys: { enabled: true, signUpEnabled: true },
    mfa: {
      trustedDevices: { enabled: true },
      webAuthn: { enrollEnabled: true, verifyEnabled: true },
    },
    providers: { keycloak: { clientId: 'client', clientSecret: 'secret', url: 'https://kc.test' } },
    hooks: { sendEmail: async () => {} },
  })
}

interface Death {
  sessions?: AuthConfig['sessions']
  /** Ends the sessions of the user, whose access tokens remain unexpired for an hour. */
  befall(userId: string, email: string): Promise<unknown>
  rejection: StatusAndCode
}

const change = (columns: string) => (userId: string) =>
  auth.rows(`update auth.sessions set ${columns} where user_id = $1`, [userId])

const expired: StatusAndCode = [403, 'session_expired']
const notFound: StatusAndCode = [403, 'session_not_found']

const deaths: Record<string, Death> = {
  'past its own end': {
    befall: (userId) =>
      auth.rows('update auth.sessions set not_after = $2 where user_id = $1', [
        userId,
        auth.clock.now(),
      ]),
    rejection: expired,
  },
  'past its time box': {
    sessions: { timeboxSeconds: 100 },
    befall: async () => auth.clock.advance(101),
    rejection: expired,
  },
  'unused for too long': {
    sessions: { inactivityTimeoutSeconds: 100 },
    befall: async () => auth.clock.advance(101),
    rejection: expired,
  },
  'without the second factor for too long': {
    sessions: { allowLowAalSeconds: 100 },
    befall: async (userId) => {
      await auth.rows(`update auth.factors set status = 'verified' where user_id = $1`, [userId])
      auth.clock.advance(101)
    },
    rejection: expired,
  },
  'replaced by a newer sign-in': {
    sessions: { singlePerUser: true },
    befall: async (_userId, email) => {
      auth.clock.advance(1)
      await auth.auth.api.signInWithPassword({ email, password: testPassword })
    },
    rejection: expired,
  },
  revoked: { befall: change('revoked_at = now()'), rejection: notFound },
  'signed out': { befall: (userId) => auth.auth.admin.signOut(userId), rejection: notFound },
  'of a banned user': {
    befall: (userId) => auth.auth.admin.banUser(userId),
    rejection: [403, 'user_banned'],
  },
  'of a softly deleted user': {
    befall: (userId) => auth.auth.admin.deleteUser(userId, { soft: true }),
    rejection: [403, 'user_not_found'],
  },
  'of a deleted user': {
    befall: (userId) => auth.auth.admin.deleteUser(userId),
    rejection: [403, 'user_not_found'],
  },
}

const everything = () =>
  auth.rows(
    `select (select jsonb_agg(u order by id) from auth.users u) as users,
      (select jsonb_agg(s order by id) from auth.sessions s) as sessions,
      (select count(*) from auth.outbox_messages) as messages,
      (select jsonb_agg(i order by id) from auth.identities i) as identities,
      (select count(*) from auth.oauth_states) as states,
      (select jsonb_agg(f order by id) from auth.factors f) as factors,
      (select jsonb_agg(p order by id) from auth.passkeys p) as passkeys,
      (select jsonb_agg(d order by id) from auth.trusted_devices d) as devices`,
  )

it.each(Object.entries(deaths))(
  'S22: rejects the access token of a session %s at every endpoint and method',
  async (_name, { sessions, befall, rejection }) => {
    await start(sessions)
    const { user } = await auth.given.session()
    const email = user.email ?? ''
    // An operator has access to the endpoints of operators, too.
    await auth.auth.admin.updateUser(user.id, { role: 'service_role' })
    const signIn = () => auth.auth.api.signInWithPassword({ email, password: testPassword })
    const other = await signIn()
    const ids = await idsOf(auth, user.id, other.session.accessToken)
    auth.clock.advance(1)
    const { session } = await signIn()
    const token = session.accessToken
    const entryPoints = [...(await endpointsOf(auth)), ...methodsOf(auth)].filter(
      ({ demand }) => demand.of !== 'anybody',
    )
    expect((await auth.get('/user', { token })).status).toBe(200)

    await befall(user.id, email)
    const before = await everything()
    const outcomes: [EntryPoint['name'], StatusAndCode][] = []
    for (const entryPoint of entryPoints)
      outcomes.push([entryPoint.name, await entryPoint.send(token, ids, 'full')])

    expect(entryPoints.length).toBeGreaterThan(60)
    expect(outcomes).toEqual(entryPoints.map(({ name }) => [name, rejection]))
    expect(await everything()).toEqual(before)
    const renewed = await auth.post('/token?grant_type=refresh_token', {
      refresh_token: session.refreshToken,
    })
    expect(renewed.status).toBe(400)
  },
  60_000,
)
