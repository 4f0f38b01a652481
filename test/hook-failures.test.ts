import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { oidc } from '../src/credentials/external/oidc.ts'
import type { HookPoint } from '../src/platform/config/sections/hooks.ts'
import { createAuthenticator } from './support/authenticator.ts'
import {
  type FakeRealm,
  realmSettings,
  signInAtRealm,
  startFakeRealm,
} from './support/fake-realm.ts'
import { newHookSecret } from './support/hooks.ts'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import { issuerKey, type OpenIdIssuer, signAs, startOpenIdIssuer } from './support/openid-issuer.ts'
import { type Passkeys, passkeysOf } from './support/passkeys.ts'
import { type SecondFactors, secondFactors } from './support/second-factors.ts'
import { testPassword } from './support/test-auth.ts'
import { makeWallet, walletMessage } from './support/wallets.ts'
import {
  answering,
  answerJson,
  type Heard,
  type ServerAnswer,
  startWebServer,
  type WebServer,
} from './support/web-server.ts'

// Each hook that runs before the response, each kind of failure, each endpoint: no access, no new
// row.

const points = {
  'before-user-created': 'beforeUserCreated',
  'customize-access-token': 'customAccessToken',
  'password-verification': 'passwordVerificationAttempt',
  'mfa-verification': 'mfaVerificationAttempt',
} as const satisfies Record<string, HookPoint>
type HookName = keyof typeof points

const json = { 'content-type': 'application/json' }
const key = issuerKey('ES256', 'key-1')
const secret = newHookSecret()

/** Verifies by the clock of the test, which `verify` of the package does not use. */
function isSigned({ headers, text }: Heard): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  const signature = new Webhook(secret.replace('v1,', '')).sign(
    `${headers['webhook-id']}`,
    at,
    text,
  )
  return headers['webhook-signature'] === signature
}

/** The response of the failing hook; the others accept everything. */
let failing: { name: HookName; answer: ServerAnswer } | null = null
let server: WebServer
let realm: FakeRealm
let issuer: OpenIdIssuer
let auth: MessagingAuth
let passkeys: Passkeys
let factors: SecondFactors
let token: string

beforeAll(async () => {
  server = await startWebServer((response, heard) => {
    const name = heard.path.slice(1) as HookName
    if (!isSigned(heard)) return answering(401)(response, heard)
    if (failing?.name === name) return failing.answer(response, heard)
    const { claims } = JSON.parse(heard.text)
    answerJson(response, 200, claims ? { claims } : {})
  })
  realm = await startFakeRealm()
  issuer = await startOpenIdIssuer([key])
  const acme = { issuer: issuer.issuer, clientId: 'app', clientSecret: 'secret', label: 'Acme' }
  const entries = Object.entries(points).map(([name, point]) => [
    point,
    { uri: `${server.url}/${name}`, secrets: secret },
  ])
  auth = await startMessagingAuth({
    hooks: Object.fromEntries(entries),
    sms: { autoconfirm: true },
    anonymousUsers: { enabled: true },
    passkeys: { enabled: true, signUpEnabled: true },
    mfa: { trustedDevices: { enabled: true } },
    web3: { solanaEnabled: true },
    providers: { keycloak: realmSettings(realm), acme: oidc(acme) },
  })
  // The pause between attempts without a connection.
  Object.assign(await auth.deps(), { hookPauseMs: 100 })
  passkeys = passkeysOf(auth)
  factors = secondFactors(auth)
  token = await auth.given.serviceToken()
})
afterAll(async () => {
  await auth.close()
  await issuer.close()
  await realm.close()
  await server.close()
})
beforeEach(() => {
  failing = null
})

/** Kinds of failures, and the error of each. */
const failures: [how: string, error: string, answer: ServerAnswer][] = [
  ['takes too long', '422 hook_timeout', () => {}],
  ['answers 500', '500 unexpected_failure', answering(500)],
  ['answers garbage', '500 unexpected_failure', answering(200, json, '<html>')],
  [
    'answers HTML',
    '400 hook_payload_invalid_content_type',
    answering(200, { 'content-type': 'text/html' }, '<html>'),
  ],
  [
    'refuses',
    '403 unknown',
    (response) =>
      answerJson(response, 200, { error: { http_code: 403, message: 'Only colleagues' } }),
  ],
  [
    'answers 200 KiB and a byte',
    '422 hook_payload_over_size_limit',
    answering(200, json, JSON.stringify({ a: 'x'.repeat(204_801 - 8) })),
  ],
  ['is gone', '422 hook_timeout_after_retry', (response) => response.destroy()],
  ['is busy', '500 unexpected_failure', answering(429, { 'retry-after': '1' })],
]

/** The result of a request: `422 hook_timeout`. After a redirect, the error in the fragment. */
type Outcome = string
interface HookRequest {
  status: number
  headers: Headers
  body: { error_code?: string } | undefined
}
function outcomeOf({ status, headers, body }: HookRequest): Outcome {
  const location = headers.get('location')
  if (location === null) return `${status}${body?.error_code ? ` ${body.error_code}` : ''}`
  return codeAt(new URL(location))
}
function codeAt({ hash, search }: URL): Outcome {
  const parameters = new URLSearchParams(hash.slice(1) || search)
  return parameters.get('error_code') ?? 'no error'
}

let made = 0
const newEmail = () => `matrix${++made}@example.test`
const newPhone = () => `4915550${String(++made).padStart(5, '0')}`
const password = testPassword

/** Endpoints that create users. Each request has a new address. */
const signUpRequests: Record<string, () => Promise<Outcome>> = {
  'POST /signup, email': async () =>
    outcomeOf(await auth.post('/signup', { email: newEmail(), password })),
  'POST /signup, phone': async () =>
    outcomeOf(await auth.post('/signup', { phone: newPhone(), password })),
  'POST /signup, nobody': async () => outcomeOf(await auth.post('/signup', {})),
  'POST /otp, email': async () => outcomeOf(await auth.post('/otp', { email: newEmail() })),
  'POST /otp, phone': async () => outcomeOf(await auth.post('/otp', { phone: newPhone() })),
  'POST /magiclink': async () => outcomeOf(await auth.post('/magiclink', { email: newEmail() })),
  'POST /invite': async () =>
    outcomeOf(await auth.post('/invite', { email: newEmail() }, { token })),
  'POST /admin/users': async () =>
    outcomeOf(await auth.post('/admin/users', { email: newEmail() }, { token })),
  ...Object.fromEntries(
    ['signup', 'invite', 'magiclink'].map((type) => [
      `POST /admin/generate_link, ${type}`,
      async () =>
        outcomeOf(
          await auth.post('/admin/generate_link', { type, email: newEmail(), password }, { token }),
        ),
    ]),
  ),
  'an id token': async () => outcomeOf(await signInByIdToken(newEmail())),
  'a wallet': async () => outcomeOf(await signInByWallet()),
  'a new passkey': async () => outcomeOf(await passkeys.signUp(createAuthenticator())),
  'a provider': async () => {
    const email = newEmail()
    const { location } = await signInAtRealm(auth, realm, {
      sub: email,
      email,
      email_verified: true,
    })
    return codeAt(location)
  },
}

function signInByIdToken(email: string) {
  const now = Math.floor(auth.clock.now().getTime() / 1000)
  const claims = { iss: issuer.issuer, aud: 'app', iat: now, exp: now + 600 }
  const id_token = signAs(key, { ...claims, sub: email, email, email_verified: true })
  return auth.post('/token?grant_type=id_token', { provider: 'acme', id_token })
}

function signInByWallet() {
  const wallet = makeWallet('solana')
  const message = walletMessage(wallet, auth.clock.now())
  const body = { chain: 'solana', message, signature: wallet.sign(message) }
  return auth.post('/token?grant_type=web3', body)
}

/** Prepares a request and returns the function that sends it. */
type Preparation = () => Promise<() => Promise<Outcome>>

const emailCode = async () => {
  const email = newEmail()
  await auth.post('/otp', { email })
  return { email, ...(await auth.messageTo(email)) }
}

const tokenRequests: Record<string, Preparation> = {
  'POST /signup, phone': async () => async () =>
    outcomeOf(await auth.post('/signup', { phone: newPhone(), password })),
  'POST /signup, nobody': async () => async () => outcomeOf(await auth.post('/signup', {})),
  'POST /verify': async () => {
    const { email, code } = await emailCode()
    return async () => outcomeOf(await auth.post('/verify', { type: 'email', email, token: code }))
  },
  'GET /verify': async () => {
    const { hash } = await emailCode()
    return async () => outcomeOf(await auth.get(`/verify?type=signup&token=${hash}`))
  },
  'a password': async () => {
    const { email } = await auth.given.user(newEmail())
    return async () => outcomeOf(await auth.post('/token?grant_type=password', { email, password }))
  },
  'a refresh token': async () => {
    const { refreshToken } = await auth.given.session(newEmail())
    return async () => outcomeOf(await factors.refresh(refreshToken))
  },
  'an id token': async () => async () => outcomeOf(await signInByIdToken(newEmail())),
  'a wallet': async () => async () => outcomeOf(await signInByWallet()),
  'a provider': async () => signUpRequests['a provider'] as () => Promise<Outcome>,
  'a passkey': async () => {
    const { authenticator } = await passkeys.userOf(await auth.given.session(newEmail()))
    return async () => outcomeOf(await passkeys.signIn(authenticator))
  },
  'a second factor': async () => {
    const { app, answer } = await begunSession()
    return async () => outcomeOf(await answer(factors.codeOf(app)))
  },
  'a recovery code': async () => {
    const { codes, weak } = await recoverablePerson()
    return async () => outcomeOf(await factors.useCode(weak.accessToken, codes[0] ?? ''))
  },
  'a trusted device': async () => {
    const { user, accessToken } = await factors.aal2Session(newEmail())
    const { body } = await auth.post('/trusted-devices', {}, { token: accessToken })
    const { accessToken: weak } = await factors.signIn(user.email)
    return async () =>
      outcomeOf(
        await auth.post('/trusted-devices/verify', { secret: body.secret }, { token: weak }),
      )
  },
}

/** Creates a user with recovery codes, signed in by password only. */
async function recoverablePerson() {
  const { codes, user } = await factors.recoverableSession(newEmail())
  return { codes, weak: await factors.signIn(user.email) }
}

async function begunSession() {
  const session = await auth.given.session(newEmail())
  const app = await factors.enrolledApp(session.accessToken)
  const challengeId = await factors.challenge(session.accessToken, app.id)
  return {
    app,
    answer: (code: string) => factors.answer(session.accessToken, app.id, challengeId, code),
  }
}

const passwordRequests: Record<string, Preparation> = {
  'the right one': tokenRequests['a password'] as Preparation,
  'a wrong one': async () => {
    const { email } = await auth.given.user(newEmail())
    return async () =>
      outcomeOf(await auth.post('/token?grant_type=password', { email, password: 'wrong' }))
  },
  'one for an address that nobody has': async () => async () =>
    outcomeOf(await auth.post('/token?grant_type=password', { email: newEmail(), password })),
}

const factorRequests: Record<string, Preparation> = {
  'the right code': tokenRequests['a second factor'] as Preparation,
  'a wrong code': async () => {
    const { app, answer } = await begunSession()
    return async () => outcomeOf(await answer(factors.wrongCodeOf(app)))
  },
  'the right recovery code': tokenRequests['a recovery code'] as Preparation,
  'a wrong recovery code': async () => {
    const { weak } = await recoverablePerson()
    return async () => outcomeOf(await factors.useCode(weak.accessToken, 'aaaaaaaaaaaaaaaa'))
  },
}

/** Counts the rows that must not change while the hook fails. */
const counted = async () => {
  const [row] = await auth.rows<{ users: number; strong: number }>(
    `select (select count(*)::int from auth.users) as users,
       (select count(*)::int from auth.sessions where aal = 'aal2') as strong`,
  )
  return row
}

const requestsByHook: Record<HookName, Record<string, Preparation>> = {
  'before-user-created': Object.fromEntries(
    Object.entries(signUpRequests).map(([requestName, pass]) => [requestName, async () => pass]),
  ),
  'customize-access-token': tokenRequests,
  'password-verification': passwordRequests,
  'mfa-verification': factorRequests,
}

/**
 * Returns the form of an error at an endpoint. A redirect contains the code only; after a link, a
 * fault stays a fault.
 */
function expectedOutcome(requestName: string, error: string): Outcome {
  const [status, code = ''] = error.split(' ')
  if (requestName === 'a provider' || (requestName === 'GET /verify' && status !== '500'))
    return code
  return error
}

describe.each(Object.entries(requestsByHook))('%s', (name, ways) => {
  it.each(failures)('fails at every endpoint when it %s, with %s', async (_how, error, answer) => {
    const prepared: [string, () => Promise<Outcome>][] = []
    for (const [requestName, prepare] of Object.entries(ways))
      prepared.push([requestName, await prepare()])
    const before = await counted()
    failing = { name: name as HookName, answer }

    const outcomes = await Promise.all(
      prepared.map(async ([requestName, pass]) => [requestName, await pass()] as const),
    )

    expect(Object.fromEntries(outcomes)).toEqual(
      Object.fromEntries(
        prepared.map(([requestName]) => [requestName, expectedOutcome(requestName, error)]),
      ),
    )
    if (name !== 'customize-access-token') expect(await counted()).toEqual(before)
  })

  it('accepts every request while it works', async () => {
    for (const [requestName, prepare] of Object.entries(ways)) {
      const pass = await prepare()
      const outcome = await pass()
      if (/wrong|nobody has/.test(requestName))
        expect([requestName, outcome.slice(0, 1)]).toEqual([requestName, '4'])
      else
        expect([requestName, outcome]).toEqual([
          requestName,
          expect.stringMatching(/^(200|no error)$/),
        ])
    }
  })
})
