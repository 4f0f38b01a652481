import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import { testPassword } from './support/test-auth.ts'

// Rule 10: no log contains the secrets or the recipients of links and codes.

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({
    // Long enough to differ from all other numbers.
    email: { autoconfirm: false, maxFrequencySeconds: 0, otpLength: 10 },
    sms: { autoconfirm: false, maxFrequencySeconds: 0, otpLength: 10 },
    security: { passwordUpdate: { requireReauthentication: true } },
  })
})
afterAll(() => auth.close())

it('the log of all flows contains no secret of a message and no whole address', async () => {
  const emails = Array.from({ length: 7 }, (_, index) => `secret-${index}@example.test`)
  const [signUp = '', otp = '', invited = '', owner = '', wanted = '', linked = ''] = emails
  const [phone, newPhone] = ['4916400000001', '4916400000002']
  const { accessToken: token } = await auth.given.session(owner)
  const service = { token: await auth.given.serviceToken() }
  const pkce = { code_challenge: 'secret-challenge'.repeat(3), code_challenge_method: 'plain' }

  await auth.post('/signup', { email: signUp, password: testPassword })
  await auth.post('/resend', { type: 'signup', email: signUp })
  await auth.post('/otp', { email: otp, ...pkce })
  await auth.post('/otp', { phone })
  await auth.post('/invite', { email: invited }, service)
  await auth.post('/recover', { email: owner })
  await auth.put('/user', { email: wanted, phone: newPhone }, { token })
  await auth.get('/reauthenticate', { token })
  const { body: link } = await auth.post(
    '/admin/generate_link',
    { type: 'magiclink', email: linked },
    service,
  )
  const messages = (
    await Promise.all([...emails, phone, newPhone].map((to) => auth.messagesTo(to)))
  ).flat()
  const ended: string[] = []
  for (const message of messages) {
    const address = message.to.includes('@') ? { email: message.to } : { phone: message.to }
    await auth.post('/verify', { type: message.type, token: `${message.code}0`, ...address })
    await auth.put('/user', { password: 'secret-password', nonce: message.code }, { token })
    const { answer } = await auth.follow(message)
    ended.push(answer.headers.get('location') ?? '')
    await auth.follow(message)
    await auth.post('/verify', { type: message.type, token_hash: message.hash, ...address })
  }

  const secrets = [
    ...emails,
    phone,
    newPhone,
    pkce.code_challenge,
    'secret-password',
    link.hashed_token,
    link.email_otp,
    ...messages.flatMap(({ code, hash }) => [code, hash]),
    ...ended.flatMap(
      (target) => /[?&#](?:access_token|refresh_token|code)=([^&#]+)/.exec(target)?.[1] ?? [],
    ),
  ].filter((secret) => secret !== '')
  const log = inspect(auth.log, { depth: 12, maxArrayLength: null, maxStringLength: null })

  expect(messages.length).toBeGreaterThanOrEqual(9)
  expect(auth.log.length).toBeGreaterThan(40)
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
})
