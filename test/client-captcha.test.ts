import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toNode } from '../src/hosts/adapters/node.ts'
import { startCaptchaProvider, type TestCaptchaProvider } from './support/captcha-provider.ts'
import { openClient } from './support/supabase-client.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'

// The unmodified client, which sends the token of a captcha.

let provider: TestCaptchaProvider
let auth: TestAuth
let url: string
const closing: (() => unknown)[] = []

beforeAll(async () => {
  provider = await startCaptchaProvider({ hostname: 'app.example.test', action: 'login' })
  auth = await startTestAuth(
    {
      email: { autoconfirm: true, maxFrequencySeconds: 0 },
      hooks: { sendEmail: async () => {} },
      passkeys: { enabled: true },
      anonymousUsers: { enabled: true },
      security: {
        captcha: {
          provider: 'turnstile',
          secret: 's3cret',
          hostnames: ['app.example.test'],
          actions: ['login'],
        },
      },
    },
    { fetch: provider.fetch },
  )
  const server = createServer(toNode(auth.auth))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  closing.push(() => server.close(), auth.close, provider.close)
})
afterAll(async () => {
  for (const close of closing) await close()
})

type Client = ReturnType<typeof openClient>
const email = 'ann@example.test'
const password = testPassword

it.each<
  [string, (client: Client, captcha: { captchaToken?: string }) => Promise<{ error: unknown }>]
>([
  [
    'signUp',
    (client, captcha) =>
      client.signUp({
        email: `${crypto.randomUUID()}@a.test`,
        password,
        options: captcha,
      }),
  ],
  ['signInAnonymously', (client, captcha) => client.signInAnonymously({ options: captcha })],
  [
    'signInWithPassword',
    (client, captcha) => client.signInWithPassword({ email, password, options: captcha }),
  ],
  ['signInWithOtp', (client, captcha) => client.signInWithOtp({ email, options: captcha })],
  ['resetPasswordForEmail', (client, captcha) => client.resetPasswordForEmail(email, captcha)],
  ['resend', (client, captcha) => client.resend({ type: 'signup', email, options: captcha })],
  [
    'passkey.startAuthentication',
    (client, captcha) => client.passkey.startAuthentication({ options: captcha }),
  ],
])('%s brings its token, and is refused without', async (method, call) => {
  await auth.auth.admin.createUser({ email, password, emailConfirm: true }).catch(() => {})
  const client = openClient(url)

  const [without, wrong, right] = [
    await call(client, {}),
    await call(client, { captchaToken: 'wrong' }),
    await call(client, { captchaToken: `solved-${method}` }),
  ]

  expect([without.error, wrong.error]).toMatchObject([
    { code: 'captcha_failed', status: 400 },
    { code: 'captcha_failed', status: 400 },
  ])
  expect(right.error).toBeNull()
})

it('receives a retryable error while verification fails', async () => {
  const options = { captchaToken: 'trouble' }
  const { error } = await openClient(url).signInWithPassword({ email, password, options })
  expect(error).toMatchObject({ status: 503, name: 'AuthRetryableFetchError' })
})
