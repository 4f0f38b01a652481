import { afterEach, describe, expect, it } from 'vitest'
import {
  startCaptchaProvider,
  type TestCaptchaProvider,
} from '../../../test/support/captcha-provider.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import type { CaptchaAttempt, VerifyCaptcha } from '../../platform/config/sections/security.ts'
import { endpoints } from '../../service/endpoints.ts'
import type { Endpoint } from './endpoint.ts'
import { guardsOf } from './guards.ts'

let auth: TestAuth
let provider: TestCaptchaProvider
afterEach(async () => {
  await auth?.close()
  await provider?.close()
})

type Captcha = NonNullable<NonNullable<AuthConfig['security']>['captcha']>

async function start(captcha: Captcha = {}, stated = {}, config: AuthConfig = {}) {
  provider = await startCaptchaProvider(stated)
  auth = await startTestAuth(
    {
      passkeys: { enabled: true, signUpEnabled: true },
      anonymousUsers: { enabled: true },
      ...config,
      security: { captcha: { secret: 's3cret', timeoutSeconds: 5, ...captcha } },
    },
    { fetch: provider.fetch },
  )
}

let people = 0
const credentials = () => ({ email: `new${++people}@example.test`, password: testPassword })
let captchas = 0
const solved = () => `solved-${++captchas}`
const inMeta = (token: string) => ({ gotrue_meta_security: { captcha_token: token } })

const signUp = (token: string) => auth.post('/signup', { ...credentials(), ...inMeta(token) })

const requestOf = ({ path, query = {} }: Endpoint): string => {
  const { grantType } = query as { grantType?: { jsonSchema: { enum?: unknown } } }
  const [grant] = (grantType?.jsonSchema.enum ?? []) as string[]
  return path.replaceAll(/\{\w+\}/g, crypto.randomUUID()) + (grant ? `?grant_type=${grant}` : '')
}

describe('a captcha', () => {
  it('is required at exactly the endpoints that are open to anonymous clients', () => {
    const guarded = endpoints.filter((one) => guardsOf(one).captcha).map(requestOf)
    expect(guarded.sort()).toEqual([
      '/magiclink',
      '/otp',
      '/passkeys/authentication/options',
      '/passkeys/signup/options',
      '/recover',
      '/resend',
      '/signup',
      '/signup',
      '/token?grant_type=password',
      '/token?grant_type=web3',
    ])
  })

  it('is required where the descriptor of an endpoint has the guard, and nowhere else', async () => {
    await start({}, {}, { web3: { ethereumEnabled: true } })
    for (const endpoint of endpoints) {
      const { status, body } = await auth.request(endpoint.method, requestOf(endpoint), {
        ...(endpoint.method !== 'GET' && { body: {} }),
      })
      const isRefused = status === 400 && body?.error_code === 'captcha_failed'
      expect(isRefused, endpoint.path).toBe(guardsOf(endpoint).captcha === true)
    }
    expect(provider.heard).toEqual([])
  })

  it('is required before an unknown grant is reported', async () => {
    await start()
    for (const path of ['/token', '/token?grant_type=toString', '/token?grant_type=']) {
      const answer = await auth.post(path, {})
      expect(answer.body).toMatchObject({ error_code: 'captcha_failed' })
    }
  })

  it.each([
    ['of the client', (token: string) => inMeta(token)],
    ['at the top', (token: string) => ({ captcha_token: token })],
    ['with white space around it', (token: string) => inMeta(` ${token}\n`)],
    ['beside an empty one', (token: string) => ({ captcha_token: ' ', ...inMeta(token) })],
  ])('is taken from the field %s, and verified with secret and address', async (_, fields) => {
    await start()
    const token = solved()

    const answer = await auth.post('/signup', { ...credentials(), ...fields(token) })

    expect(answer.status).toBe(200)
    expect(provider.requested()).toEqual([
      { secret: 's3cret', response: token, remoteip: '203.0.113.7' },
    ])
  })

  it.each([
    ['none', {}],
    ['an empty one', inMeta('')],
    ['a blank one', inMeta(' \n')],
    ['null', { captcha_token: null, gotrue_meta_security: null }],
    ['one longer than any', inMeta('x'.repeat(16_385))],
  ])('is missing with %s, and the provider receives no request', async (_, fields) => {
    await start()

    const answer = await auth.post('/signup', { ...credentials(), ...fields })

    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      error_code: 'captcha_failed',
      msg: 'captcha_token: captcha protection: request disallowed (no captcha_token found)',
    })
    expect(provider.heard).toEqual([])
  })

  it('is reported as malformed where it is of the wrong type', async () => {
    await start()
    const statusFor = async (fields: object) => {
      const { status, body } = await auth.post('/otp', { ...credentials(), ...fields })
      return `${status} ${body.error_code} ${body.msg.split(': ')[1]}`
    }

    expect([
      await statusFor({ captcha_token: 7 }),
      await statusFor({ gotrue_meta_security: 'x' }),
      await statusFor({ gotrue_meta_security: { captcha_token: [] } }),
    ]).toEqual([
      '400 bad_json captcha_token',
      '400 bad_json gotrue_meta_security',
      '400 bad_json gotrue_meta_security.captcha_token',
    ])
  })

  it('is accepted once, and consumed by a request that then fails', async () => {
    await start()
    const token = solved()

    const wrong = await auth.post('/signup', { email: 'x', password: '1', ...inMeta(token) })
    const again = await signUp(token)

    expect([wrong.status, again.status]).toEqual([422, 400])
    expect(again.body.msg).toMatch(/\(timeout-or-duplicate\)$/)
  })

  it('is not verified for a request over its limit, where the limit comes first', async () => {
    await start({}, {}, { rateLimits: { otp: 30, header: 'off' } })
    const ask = () => auth.post('/recover', { email: 'ann@example.test' })

    for (let count = 0; count < 30; count += 1) await ask()

    expect((await ask()).status).toBe(429)
  })

  it('costs no statement of its own', async () => {
    await start()
    const { database } = await auth.deps()
    const query = database.sql.query
    const names: string[] = []
    database.sql.query = (one, ...rest) => {
      names.push(one.name)
      return query(one, ...rest)
    }

    const missing = await auth.post('/token?grant_type=password', credentials())
    const wrong = await auth.post('/signup', { ...credentials(), ...inMeta('x') })

    expect([missing.status, wrong.status, names]).toEqual([400, 400, []])
  })
})

describe('a request that needs no captcha', () => {
  it('has a token for administration', async () => {
    await start()
    const { session } = await auth.auth.api.signUp(credentials())
    const person = credentials()
    await auth.auth.admin.createUser({ ...person, emailConfirm: true })
    const ask = async (token: string | undefined) => {
      const answer = await auth.post('/token?grant_type=password', person, { token })
      return answer.status
    }

    expect(await ask(await auth.given.serviceToken())).toBe(200)
    expect(await ask(await auth.given.serviceToken('anon'))).toBe(400)
    expect(await ask(session?.accessToken)).toBe(400)
    expect(await ask('nonsense')).toBe(400)
    expect(await ask(undefined)).toBe(400)
    auth.clock.advance(601)
    expect(await ask(undefined)).toBe(400)
  })

  it('does not have a user’s token, even an operator’s: the role takes a statement', async () => {
    await start()
    const user = await auth.given.user('op@example.test')
    await auth.auth.admin.updateUser(user.id, { role: 'service_role' })
    const { session } = await auth.auth.api.signInWithPassword({
      email: 'op@example.test',
      password: testPassword,
    })

    const answer = await auth.post(
      '/recover',
      { email: 'a@b.test' },
      { token: session.accessToken },
    )

    expect(answer.body).toMatchObject({ error_code: 'captcha_failed' })
  })

  it('is a call in code, which no client makes', async () => {
    await start()

    const made = await auth.auth.api.signUp(credentials())
    const anonymous = await auth.auth.api.signInAnonymously()
    const passkey = await auth.auth.api.startPasskeyAuthentication()

    expect([made.session, anonymous.session, passkey.options]).not.toContain(null)
    expect(provider.heard).toEqual([])
  })
})

describe('a provider', () => {
  const hosts = {
    hcaptcha: 'https://hcaptcha.com/siteverify',
    turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    recaptcha_v2: 'https://www.google.com/recaptcha/api/siteverify',
    recaptcha_v3: 'https://www.google.com/recaptcha/api/siteverify',
  } as const

  it.each(Object.entries(hosts))('is requested at its URL: %s', async (name, url) => {
    await start({ provider: name as keyof typeof hosts }, { score: 0.9 })

    expect((await signUp(solved())).status).toBe(200)
    expect(provider.urls).toEqual([url])
  })

  it('returns the error codes of the provider that are public', async () => {
    await start()
    const { body } = await signUp('babbling')
    expect(body.msg).toMatch(/request disallowed \(invalid-input-response\)$/)
  })

  it.each([
    'slow',
    'unreachable',
    'html',
    'trouble',
    'moved',
    'huge',
    'empty',
    'text',
    'list',
    'lying',
  ])('rejects the request when it is %s', async (quirk) => {
    await start({ timeoutSeconds: quirk === 'slow' ? 0.3 : 10 })
    const begun = performance.now()

    const answer = await signUp(`${quirk}-1`)

    expect(answer.status).toBe(503)
    expect(answer.body).toMatchObject({ error_code: 'service_unavailable' })
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(performance.now() - begun).toBeLessThan(9_000)
    expect(provider.heard).toHaveLength(1)
    expect(await auth.rows('select 1 from auth.users')).toEqual([])
    expect(JSON.stringify(auth.log)).not.toMatch(/s3cret|-1"/)
    expect(auth.log.some(({ level }) => level === 'error')).toBe(true)
  })

  it.each([
    ['the host itself', { hostname: 'App.example.test' }, 200],
    ['another host', { hostname: 'evil.test' }, 400],
    ['a host that ends like it', { hostname: 'evil-app.example.test' }, 400],
    ['no host', {}, 400],
    ['a host that is no text', { hostname: ['app.example.test'] }, 400],
  ])(
    'is compared where a host is configured and the provider returns %s',
    async (_, stated, status) => {
      await start({ hostnames: ['app.example.test', 'www.example.test'] }, stated)
      expect((await signUp(solved())).status).toBe(status)
    },
  )

  it.each([
    ['the action itself', { action: 'login' }, 200],
    ['another action', { action: 'comment' }, 400],
    ['no action', {}, 400],
  ])(
    'is compared where an action is configured and the provider returns %s',
    async (_, stated, status) => {
      await start({ provider: 'turnstile', actions: ['login', 'signup'] }, stated)
      expect((await signUp(solved())).status).toBe(status)
    },
  )

  it.each([
    [0.5, 200],
    [0.49, 400],
    ['0.9', 400],
    [undefined, 400],
  ])('is judged by its score, of reCAPTCHA v3: %s', async (score, status) => {
    await start({ provider: 'recaptcha_v3' }, { score })
    expect((await signUp(solved())).status).toBe(status)
  })

  it('does not receive the address of a proxy', async () => {
    await start()
    const body = { ...credentials(), ...inMeta(solved()) }

    await auth.post('/signup', body, { ip: '10.0.0.1' })

    expect(provider.requested()).toMatchObject([{ remoteip: null }])
  })
})

describe('a function of the application', () => {
  const startWith = (verify: VerifyCaptcha) =>
    start({ verify, secret: undefined, timeoutSeconds: 0.5 })

  it('is called in place of a provider', async () => {
    const attempts: CaptchaAttempt[] = []
    await startWith(async (attempt) => {
      attempts.push(attempt)
      return attempt.token === 'right'
    })

    const statuses = [(await signUp('right')).status, (await signUp('wrong')).status]

    expect(statuses).toEqual([200, 400])
    expect(attempts).toEqual([
      { token: 'right', ip: '203.0.113.7', path: '/signup' },
      { token: 'wrong', ip: '203.0.113.7', path: '/signup' },
    ])
    expect(provider.heard).toEqual([])
  })

  it.each<[string, VerifyCaptcha, number]>([
    ['answers no', () => false, 400],
    ['returns another value', () => 'true' as never, 400],
    ['answers nothing', async () => undefined as never, 400],
    [
      'throws',
      () => {
        throw new Error('no')
      },
      503,
    ],
    ['rejects', () => Promise.reject(new Error('no')), 503],
    ['never ends', () => new Promise(() => {}), 503],
  ])('rejects the request when it %s', async (_, verify, status) => {
    await startWith(verify)
    expect((await signUp('right')).status).toBe(status)
  })
})
