import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hostsByOption, type JoinedHost } from '../../../test/support/host.ts'
import {
  startTestAuth,
  type TestAuth,
  testPassword,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'
import type { SendEmailPayload, SendSmsPayload } from '../../platform/config/sections/hooks.ts'
import type { CallOptions } from './call-options.ts'

// Methods that send messages, in a transaction of the host: messages, tokens and users are
// committed or rolled back with it.

class ChangedMind extends Error {}

let auth: TestAuth
let host: JoinedHost
/** The sent messages, with their recipients. */
let sent: { to: string; payload: SendEmailPayload | SendSmsPayload }[] = []
let made = 0

const newEmail = () => `host-${++made}@example.test`

beforeAll(async () => {
  auth = await startTestAuth({
    ...withoutAutoconfirm,
    security: { passwordUpdate: { requireReauthentication: true } },
    hooks: {
      sendEmail: async (payload) => void sent.push({ to: payload.user.email ?? '', payload }),
      sendSms: async (payload) => void sent.push({ to: payload.sms.phone, payload }),
    },
  })
  await auth.auth.ready()
})
afterAll(() => auth.close())
beforeEach(() => {
  sent = []
})

type Work = (joined: CallOptions) => Promise<unknown>

const committing = (work: Work) => host.transaction(work)

const rollingBack: typeof committing = async (work) => {
  const running = committing(async (joined) => {
    await work(joined)
    throw new ChangedMind()
  })
  await expect(running).rejects.toBeInstanceOf(ChangedMind)
}

const settled = async () => (await auth.deps()).outbox.settled()

/** Returns all rows that a message stores. */
async function traces() {
  const counts = await auth.rows<Record<string, number>>(`
    select (select count(*) from auth.users)::int as users,
      (select count(*) from auth.one_time_tokens)::int as tokens,
      (select count(*) from auth.outbox_messages)::int as messages,
      (select count(*) from auth.authorization_codes)::int as codes,
      (select count(*) from auth.sessions)::int as sessions,
      (select count(*) from auth.audit_entries)::int as entries,
      (select md5(string_agg(u::text, '' order by id)) from auth.users u) as people`)
  return counts[0]
}

const codeVerifier = 'v'.repeat(43)
const pkce = { codeChallenge: codeVerifier, codeChallengeMethod: 'plain' } as const

/** The mail or SMS that was sent last. */
async function lastSent(): Promise<SendEmailPayload & SendSmsPayload> {
  await settled()
  const last = sent.at(-1)
  if (!last) throw new Error('nothing was sent')
  return last.payload as SendEmailPayload & SendSmsPayload
}

const knownEmail = async () => (await auth.given.user(newEmail())).email ?? ''

/**
 * The calls of a transaction with their preparation, and the number of messages that each sends.
 */
const cases: Record<string, [sends: number, prepare: () => Promise<Work>]> = {
  signUp: [
    1,
    async () => {
      const email = newEmail()
      return (joined) => auth.auth.api.signUp({ email, password: testPassword }, joined)
    },
  ],
  'signInWithOtp of an unknown address': [
    1,
    async () => {
      const phone = `4915551${++made}`
      return (joined) => auth.auth.api.signInWithOtp({ phone }, joined)
    },
  ],
  'signInWithOtp of a user': [
    1,
    async () => {
      const email = await knownEmail()
      return (joined) => auth.auth.api.signInWithOtp({ email }, joined)
    },
  ],
  resetPasswordForEmail: [
    1,
    async () => {
      const email = await knownEmail()
      return (joined) => auth.auth.api.resetPasswordForEmail({ email }, joined)
    },
  ],
  resend: [
    1,
    async () => {
      const email = newEmail()
      await auth.auth.api.signUp({ email, password: testPassword })
      return (joined) => auth.auth.api.resend({ type: 'signup', email }, joined)
    },
  ],
  // One for both addresses, with a send hook.
  'updateUser with an email': [
    1,
    async () => {
      const { accessToken } = await auth.given.session(newEmail())
      const email = newEmail()
      return (joined) => auth.auth.api.updateUser({ accessToken, email }, joined)
    },
  ],
  reauthenticate: [
    1,
    async () => {
      const { accessToken } = await auth.given.session(newEmail())
      return (joined) => auth.auth.api.reauthenticate({ accessToken }, joined)
    },
  ],
  'updateUser with a nonce': [
    0,
    async () => {
      const { accessToken } = await auth.given.session(newEmail())
      await auth.auth.api.reauthenticate({ accessToken })
      const { token: nonce } = (await lastSent()).email_data
      const change = { accessToken, nonce, password: 'a brand new password' }
      return (joined) => auth.auth.api.updateUser(change, joined)
    },
  ],
  verifyOtp: [
    0,
    async () => {
      const phone = `4915552${++made}`
      await auth.auth.api.signInWithOtp({ phone })
      const { otp: token } = (await lastSent()).sms
      return (joined) => auth.auth.api.verifyOtp({ type: 'sms', phone, token }, joined)
    },
  ],
  followLink: [
    0,
    async () => {
      await auth.auth.api.signInWithOtp({ email: await knownEmail(), ...pkce })
      const { token_hash: token } = (await lastSent()).email_data
      return (joined) => auth.auth.api.followLink({ type: 'magiclink', token }, joined)
    },
  ],
  exchangeCodeForSession: [
    0,
    async () => {
      await auth.auth.api.signInWithOtp({ email: await knownEmail(), ...pkce })
      const { token_hash: token } = (await lastSent()).email_data
      const { redirectTo } = await auth.auth.api.followLink({ type: 'magiclink', token })
      const authCode = new URL(redirectTo).searchParams.get('code') ?? ''
      return (joined) => auth.auth.api.exchangeCodeForSession({ authCode, codeVerifier }, joined)
    },
  ],
  'admin.inviteUser': [
    1,
    async () => {
      const email = newEmail()
      return (joined) => auth.auth.admin.inviteUser({ email }, joined)
    },
  ],
  'admin.generateLink with a mail': [
    1,
    async () => {
      const email = newEmail()
      const signUp = { type: 'signup', email, password: testPassword, sendEmail: true } as const
      return (joined) => auth.auth.admin.generateLink(signUp, joined)
    },
  ],
}

describe.each(Object.entries(hostsByOption))('in the host’s transaction, by %s', (_, open) => {
  beforeAll(async () => {
    host = await open(auth.databaseUrl)
  })
  afterAll(() => host.close())

  it.each(Object.entries(cases))(
    '%s stores and sends nothing after a rollback',
    async (_, [, prepare]) => {
      const work = await prepare()
      await settled()
      const before = await traces()
      sent = []

      await rollingBack(work)
      await settled()

      expect(await traces()).toEqual(before)
      expect(sent).toEqual([])
    },
  )

  it.each(Object.entries(cases))(
    '%s takes effect after the commit',
    async (_, [sends, prepare]) => {
      const work = await prepare()
      await rollingBack(work)
      await settled()
      const before = await traces()
      sent = []

      await committing(async (joined) => {
        await work(joined)
        await settled()
        expect([await traces(), sent]).toEqual([before, []])
      })
      await settled()

      expect(await traces()).not.toEqual(before)
      expect(sent).toHaveLength(sends)
    },
  )

  it('a message for a user who was created in it is sent', async () => {
    const email = newEmail()

    await committing(async (joined) => {
      await auth.auth.admin.createUser({ email, emailConfirm: true }, joined)
      await auth.auth.api.signInWithOtp({ email }, joined)
    })

    const { email_data: mail } = await lastSent()
    expect(sent).toMatchObject([{ to: email }])
    const proved = auth.auth.api.verifyOtp({ type: 'magiclink', tokenHash: mail.token_hash })
    await expect(proved).resolves.toMatchObject({ user: { email } })
  })
})
