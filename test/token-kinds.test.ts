import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DeliveredMessage,
  type MessagingAuth,
  startMessagingAuth,
} from './support/messages.ts'
import { testPassword } from './support/test-auth.ts'

// Rule 7, T28: a link or code of one kind is never accepted as another.

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({
    security: { passwordUpdate: { requireReauthentication: true } },
  })
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `kind-${++made}@example.test`
const newPhone = () => `49163${String(++made).padStart(8, '0')}`

const signedIn = async () => {
  const { user, accessToken: token } = await auth.given.session(newEmail())
  return { email: user.email ?? '', token }
}

/** Messages by purpose, and the types that each is valid for. */
const kinds: Record<string, { good: string[]; send(): Promise<DeliveredMessage> }> = {
  'sign-up': {
    good: ['signup', 'invite', 'email'],
    send: async () => {
      const email = newEmail()
      await auth.post('/signup', { email, password: testPassword })
      return auth.messageTo(email)
    },
  },
  invitation: {
    good: ['signup', 'invite', 'email'],
    send: async () => {
      const email = newEmail()
      await auth.post('/invite', { email }, { token: await auth.given.serviceToken() })
      return auth.messageTo(email)
    },
  },
  'magic link': {
    good: ['magiclink', 'recovery', 'email'],
    send: async () => {
      const { email } = await auth.given.user(newEmail())
      await auth.post('/magiclink', { email })
      return auth.messageTo(email ?? '')
    },
  },
  recovery: {
    good: ['magiclink', 'recovery', 'email'],
    send: async () => {
      const { email } = await auth.given.user(newEmail())
      await auth.post('/recover', { email })
      return auth.messageTo(email ?? '')
    },
  },
  'change of email, to the new address': {
    good: ['email_change'],
    send: async () => {
      const [{ token }, wanted] = [await signedIn(), newEmail()]
      await auth.put('/user', { email: wanted }, { token })
      return auth.messageTo(wanted)
    },
  },
  'change of email, to the current address': {
    good: ['email_change'],
    send: async () => {
      const { token, email } = await signedIn()
      await auth.put('/user', { email: newEmail() }, { token })
      return auth.messageTo(email)
    },
  },
  'nonce by mail': {
    good: [],
    send: async () => {
      const { token, email } = await signedIn()
      await auth.get('/reauthenticate', { token })
      return auth.messageTo(email)
    },
  },
  'sign-up by phone': {
    good: ['sms'],
    send: async () => {
      const phone = newPhone()
      await auth.post('/signup', { phone, password: testPassword })
      return auth.messageTo(phone)
    },
  },
  'code to a phone': {
    good: ['sms'],
    send: async () => {
      const phone = newPhone()
      await auth.auth.admin.createUser({ phone, phoneConfirm: true })
      await auth.post('/otp', { phone })
      return auth.messageTo(phone)
    },
  },
  'change of phone': {
    good: ['phone_change'],
    send: async () => {
      const [{ token }, phone] = [await signedIn(), newPhone()]
      await auth.put('/user', { phone }, { token })
      return auth.messageTo(phone)
    },
  },
  'nonce by SMS': {
    good: [],
    send: async () => {
      const phone = newPhone()
      await auth.auth.admin.createUser({ phone, phoneConfirm: true, password: testPassword })
      const { session } = await auth.auth.api.signInWithPassword({ phone, password: testPassword })
      await auth.get('/reauthenticate', { token: session.accessToken })
      return auth.messageTo(phone)
    },
  },
}

const types = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email',
  'email_change',
  'sms',
  'phone_change',
  'reauthentication',
  'confirmation',
  'email_change_new',
  'constructor',
]

describe.each(Object.entries(kinds))('the message of a %s', (_name, { good, send }) => {
  it(`has a code that is valid for ${good.join(', ') || 'no type'}`, async () => {
    const accepted: string[] = []
    for (const type of types) {
      const { to, code } = await send()
      const address = to.includes('@') ? { email: to } : { phone: to }
      const { status } = await auth.post('/verify', { type, token: code, ...address })
      if (status === 200) accepted.push(type)
    }

    expect(accepted.toSorted()).toEqual(good.toSorted())
  })

  it('has a link that is valid for the same, if it has one', async () => {
    const [accepted, followed]: [string[], string[]] = [[], []]
    for (const type of types) {
      const [one, two] = [await send(), await send()]
      const { status } = await auth.post('/verify', {
        type,
        token_hash: one.hash || 'a'.repeat(56),
      })
      if (status === 200) accepted.push(type)
      const { fragment } = await auth.follow({ ...two, hash: two.hash || 'a'.repeat(56), type })
      if (!fragment.has('error')) followed.push(type)
    }

    const { hash } = await send()
    const expected = hash === '' ? [] : good.toSorted()
    expect(accepted.toSorted()).toEqual(expected)
    expect(followed.toSorted()).toEqual(expected)
  })
})

describe('the user’s own code', () => {
  it.each([
    ['a magic link', (email: string) => auth.post('/magiclink', { email })],
    ['a recovery', (email: string) => auth.post('/recover', { email })],
    [
      'a change of email',
      (_: string, token: string) => auth.put('/user', { email: newEmail() }, { token }),
    ],
  ])('of %s is no nonce', async (_name, ask) => {
    const { email, token } = await signedIn()
    const change = (nonce: string) =>
      auth.put('/user', { password: 'another horse', nonce }, { token })
    await ask(email, token)
    const { code, hash } = await auth.messageTo(email)
    const asNonces = [await change(code), await change(hash)]
    await auth.get('/reauthenticate', { token })
    const { code: nonce } = await auth.messageTo(email)

    expect(asNonces.map(({ status }) => status)).toEqual([422, 422])
    expect((await change(nonce)).status).toBe(200)
  })
})

describe('another kind of secret', () => {
  it('is not accepted as a one-time token', async () => {
    const { accessToken, refreshToken, user } = await auth.given.session(newEmail())
    const secrets = [accessToken, refreshToken, user.id, await auth.given.serviceToken()]

    for (const secret of secrets) {
      const posted = await auth.post('/verify', { type: 'email', token_hash: secret })
      const exchanged = await auth.post('/token?grant_type=pkce', {
        auth_code: secret,
        code_verifier: 'v'.repeat(43),
      })
      expect([posted.status, exchanged.status]).toEqual([403, 404])
    }
  })

  it('nor is a one-time token, or the result of its link, accepted as another', async () => {
    const { email } = await auth.given.user(newEmail())
    const pkce = { code_challenge: 'v'.repeat(43), code_challenge_method: 'plain' }
    await auth.post('/magiclink', { email, ...pkce })
    const message = await auth.messageTo(email ?? '')
    const before = await trial(message.hash)
    const { url } = await auth.follow(message)
    const code = url?.searchParams.get('code') ?? ''

    expect([before, await trial(code), await trial(message.code)]).toEqual([
      [403, 400, 404],
      [403, 400, 404],
      [403, 400, 404],
    ])
    expect((await auth.post('/verify', { type: 'email', token_hash: code })).status).toBe(403)
  })
})

/** Returns the responses to a secret as access token, refresh token and authorization code. */
async function trial(secret: string) {
  const answers = [
    await auth.get('/user', { token: secret }),
    await auth.post('/token?grant_type=refresh_token', { refresh_token: secret }),
    await auth.post('/token?grant_type=pkce', {
      auth_code: `${secret}x`,
      code_verifier: 'v'.repeat(43),
    }),
  ]
  return answers.map(({ status }) => status)
}
