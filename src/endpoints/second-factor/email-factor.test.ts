import { afterEach, describe, expect, it } from 'vitest'
import {
  claimsIn,
  type SecondFactors,
  secondFactors,
  statusAndCode,
} from '../../../test/support/second-factors.ts'
import {
  type Answer,
  startTestAuth,
  type TestAuth,
  testPassword,
} from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import type { OutgoingMail } from '../../platform/config/sections/email.ts'
import type {
  MfaVerificationPayload,
  SendEmailPayload,
} from '../../platform/config/sections/hooks.ts'
import type { OutgoingSms } from '../../platform/config/sections/sms.ts'

let auth: TestAuth
let factors: SecondFactors
let mails: OutgoingMail[]
let texts: OutgoingSms[]
afterEach(() => auth.close())

const enabled = { enrollEnabled: true, verifyEnabled: true }

async function start({ email, sms, mfa, ...config }: AuthConfig = {}) {
  mails = []
  texts = []
  auth = await startTestAuth({
    email: { autoconfirm: false, send: (mail) => void mails.push(mail), ...email },
    sms: { autoconfirm: false, send: (sms) => void texts.push(sms), ...sms },
    mfa: { email: enabled, ...mfa },
    ...config,
  })
  factors = secondFactors(auth)
}

const settled = async () => (await auth.deps()).outbox.settled()

/** The code of the newest mail of a second factor. */
const mailedCode = async (): Promise<string> => {
  await settled()
  return mails.findLast(({ kind }) => kind === 'mfaCode')?.text.match(/\b\d{6}\b/)?.[0] ?? ''
}

const enroll = (token: string, body: object = {}) =>
  factors.enroll(token, { factor_type: 'email', ...body })

const challenge = (token: string, id: string) =>
  auth.post(`/factors/${id}/challenge`, {}, { token })

/** Creates a user with a session by password and an unverified email factor. */
async function begun(email?: string) {
  const { user, accessToken: token } = await auth.given.session(email)
  const { body } = await enroll(token)
  const id: string = body.id
  const ask = () => challenge(token, id)
  const answer = (challengeId: string, code: string) => factors.answer(token, id, challengeId, code)
  return { user, email: user.email ?? '', token, id, ask, answer }
}

/** Creates a user with a session and a verified email factor, after the interval between mails. */
async function verified(email?: string) {
  const person = await begun(email)
  const { body: requested } = await person.ask()
  const { body } = await person.answer(requested.id, await mailedCode())
  auth.clock.advance(60)
  return { ...person, weak: person.token, token: body.access_token as string, body }
}

/** A session whose first factor is a link or code. */
const signedInBy = async (body: object): Promise<string> => {
  const { text, body: session } = await auth.post('/verify', body)
  if (!session.access_token) throw new Error(text)
  return session.access_token
}

const signedInByLink = async (type: 'magiclink' | 'recovery', email: string): Promise<string> => {
  const { hashedToken } = await auth.auth.admin.generateLink({ type, email })
  return signedInBy({ type, token_hash: hashedToken })
}

const signedInByPassword = async (email: string): Promise<string> =>
  (await auth.auth.api.signInWithPassword({ email, password: testPassword })).session.accessToken

/** A session of the user of a phone. */
const signedInByPhone = async (phone: string): Promise<string> => {
  await auth.post('/otp', { phone })
  await settled()
  const token = texts.findLast(({ to }) => to === `+${phone}`)?.code
  return signedInBy({ type: 'sms', phone, token })
}

describe('codes by mail as a second factor', () => {
  it('raise the session, through a mail in the background', async () => {
    await start()
    const { body, user, id } = await verified()

    expect(mails).toMatchObject([{ kind: 'mfaCode', to: user.email }])
    expect(mails[0]?.subject).toMatch(/^\d{6} is your security code$/)
    const claims = claimsIn(body.access_token)
    expect(claims).toMatchObject({ aal: 'aal2' })
    expect(claims.amr?.map(({ method }) => method)).toEqual(['mfa/email', 'password'])
    expect(await auth.auth.admin.listFactors(user.id)).toMatchObject([
      { id, factorType: 'email', status: 'verified', phone: null },
    ])
  })

  it('are presented on the wire as a phone with the channel, without a number', async () => {
    await start()
    const { token, user, id } = await verified()
    const operator = await auth.given.serviceToken()

    const answers = [
      (await auth.get('/user', { token })).body.factors,
      (await auth.get(`/admin/users/${user.id}/factors`, { token: operator })).body,
    ]

    for (const [factor, ...others] of answers) {
      expect(others).toEqual([])
      expect(factor).toMatchObject({
        id,
        factor_type: 'phone',
        channel: 'email',
        status: 'verified',
      })
      expect(factor).not.toHaveProperty('phone')
    }
  })

  it.each([
    ['de', 'Sicherheitscode'],
    ['fr', 'code de sécurité'],
  ])('are mailed in the language of the client: %s', async (language, subject) => {
    await start()
    const { token, id } = await begun()

    await auth.request('POST', `/factors/${id}/challenge`, {
      token,
      body: {},
      headers: { 'accept-language': language },
    })
    await settled()

    expect(mails[0]?.subject).toContain(subject)
  })

  it('are stored nowhere in a readable form', async () => {
    await start()
    const { ask } = await begun()
    await ask()
    const code = await mailedCode()

    const stored = JSON.stringify([
      await auth.rows('select * from auth.challenges'),
      await auth.rows('select * from auth.outbox_messages'),
      await auth.rows('select * from auth.audit_entries'),
    ])
    expect(code).toMatch(/^\d{6}$/)
    expect(stored).not.toContain(code)
  })

  it('are off by default, and rejected where a switch is off', async () => {
    await start({ mfa: { email: {} } })
    const { accessToken: token } = await auth.given.session()
    expect(statusAndCode(await enroll(token))).toEqual([422, 'mfa_email_enroll_not_enabled'])
    await auth.close()

    await start({ mfa: { email: { enrollEnabled: true } } })
    const { ask, answer } = await begun()
    const answers = [await ask(), await answer('7f3a3f0c-0000-4000-8000-000000000000', '1')]
    expect(answers.map(statusAndCode)).toEqual(
      answers.map(() => [422, 'mfa_email_verify_not_enabled']),
    )
  })

  it('are rejected where nothing sends mail', async () => {
    auth = await startTestAuth({ mfa: { email: enabled } })
    factors = secondFactors(auth)
    const { accessToken: token } = await auth.given.session()

    expect(statusAndCode(await enroll(token))).toEqual([422, 'mfa_email_verify_not_enabled'])
    expect(await auth.rows('select id from auth.factors')).toEqual([])
  })

  it('reach the hook in place of the carrier', async () => {
    const received: SendEmailPayload[] = []
    await start({
      hooks: { sendEmail: (payload) => void received.push(payload as SendEmailPayload) },
    })
    const { ask, answer } = await begun()
    const { body } = await ask()
    await settled()

    const [sent] = received
    expect(sent?.email_data).toMatchObject({ email_action_type: 'mfa_code', token_hash: '' })
    expect((await answer(body.id, sent?.email_data.token ?? '')).status).toBe(200)
  })

  it('are one factor of a user, which a new enrollment replaces until it is verified', async () => {
    await start()
    const { token, id, user } = await begun()
    const other = await enroll(token, { friendly_name: 'other' })
    expect(other.status).toBe(200)
    expect((await auth.auth.admin.listFactors(user.id)).map((one) => one.id)).toEqual([
      other.body.id,
    ])

    const requested = await challenge(token, other.body.id)
    const { body } = await factors.answer(
      token,
      other.body.id,
      requested.body.id,
      await mailedCode(),
    )
    expect(id).not.toBe(other.body.id)
    expect(statusAndCode(await enroll(body.access_token, { friendly_name: 'third' }))).toEqual([
      422,
      'mfa_verified_factor_exists',
    ])
  })

  it('leave audit entries, notifications, events and the attempt for the hook', async () => {
    const attempts: MfaVerificationPayload[] = []
    const events: string[] = []
    await start({
      email: { notifications: { mfaFactorEnrolled: true, mfaFactorUnenrolled: true } },
      hooks: {
        mfaVerificationAttempt: (payload) => {
          attempts.push(payload as MfaVerificationPayload)
          return { decision: 'continue' }
        },
        events: ({ type }) => void events.push(type as string),
      },
    })
    const { token, id, user } = await verified()
    const removed = await factors.unenroll(token, id)
    await settled()

    expect(removed.status).toBe(200)
    expect(attempts).toMatchObject([{ factor_id: id, factor_type: 'email', valid: true }])
    expect(events).toEqual(expect.arrayContaining(['factor.verified', 'factor.removed']))
    expect(mails.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['mfaFactorEnrolled', 'mfaFactorUnenrolled']),
    )
    const enrolled = mails.find(({ kind }) => kind === 'mfaFactorEnrolled')
    expect(enrolled?.text).toContain('codes by email')
    const entries = await auth.rows<{ traits: object | null }>(
      'select traits from auth.audit_entries where actor_id = $1 order by id',
      [user.id],
    )
    expect(entries.map(({ traits }) => traits)).toEqual(
      expect.arrayContaining([expect.objectContaining({ factor_id: id, factor_type: 'email' })]),
    )
  })
})

describe('the limits of codes by mail', () => {
  it('send one mail a minute to a user, however many requests run at once', async () => {
    await start()
    const { ask } = await begun()

    const answers = await Promise.all(Array.from({ length: 5 }, () => ask()))
    auth.clock.advance(60)
    const later = await ask()
    await settled()

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429, 429, 429])
    expect(answers.find(({ status }) => status === 429)?.body.error_code).toBe(
      'over_email_send_rate_limit',
    )
    expect([later.status, mails.length]).toEqual([200, 2])
  })

  it.each([false, true])(
    'count against the budget of mails, and store nothing where it is used up: autoconfirm %s',
    async (autoconfirm) => {
      await start({ email: { autoconfirm }, rateLimits: { emailSent: '1/1h' } })
      const [one, other] = [await begun(), await begun()]
      const answers = [await one.ask(), await other.ask()]
      await settled()

      expect(answers.map(statusAndCode)).toEqual([
        [200, undefined],
        [429, 'over_email_send_rate_limit'],
      ])
      expect([mails.length, await auth.rows('select id from auth.challenges')]).toEqual([
        1,
        [{ id: answers[0]?.body.id }],
      ])
    },
  )

  it('accept five codes for a challenge, and the right one once', async () => {
    await start()
    const { ask, answer } = await begun()
    const { body } = await ask()
    const code = await mailedCode()
    const wrong = code === '000000' ? '000001' : '000000'
    const answers: Answer[] = []
    for (let attempt = 0; attempt < 5; attempt++) answers.push(await answer(body.id, wrong))
    answers.push(await answer(body.id, code))
    auth.clock.advance(60)
    const { body: next } = await ask()
    const right = await mailedCode()
    answers.push(await answer(next.id, right), await answer(next.id, right))

    const failed = [422, 'mfa_verification_failed']
    expect(answers.map(statusAndCode)).toEqual([
      ...Array.from({ length: 6 }, () => failed),
      [200, undefined],
      failed,
    ])
  })

  it('send to no address that the operator does not serve', async () => {
    await start({ email: { authorizedAddresses: ['other@example.test'] } })
    const { ask } = await begun()

    expect(statusAndCode(await ask())).toEqual([400, 'email_address_not_authorized'])
  })
})

const notIndependent = [422, 'mfa_email_not_independent']

describe('a session that the mailbox may have opened', () => {
  it.each(['magiclink', 'recovery'] as const)(
    'is not raised by a code to the same mailbox: %s',
    async (type) => {
      await start()
      const { id, email } = await verified()
      const sent = mails.length
      const token = await signedInByLink(type, email)

      const requested = await challenge(token, id)
      await settled()

      expect(statusAndCode(requested)).toEqual(notIndependent)
      expect(requested.body.step_up).toBe('sign_in')
      expect(mails).toHaveLength(sent)
    },
  )

  it('is not raised by a code that another session requested', async () => {
    await start()
    const { id, email, weak: _, token } = await verified()
    const byLink = await signedInByLink('magiclink', email)
    const { body } = await challenge(token, id)

    const answer = await factors.answer(byLink, id, body.id, await mailedCode())

    expect(statusAndCode(answer)).toEqual(notIndependent)
  })

  it('is not raised after a refresh either, nor by a code instead of a link', async () => {
    await start()
    const { id, email } = await verified()
    const { emailOtp } = await auth.auth.admin.generateLink({ type: 'magiclink', email })
    const { body } = await auth.post('/verify', { type: 'email', email, token: emailOtp })
    const { body: renewed } = await factors.refresh(body.refresh_token)

    expect(statusAndCode(await challenge(renewed.access_token, id))).toEqual(notIndependent)
  })

  it('does not enroll the factor, in whatever spelling the address signs in', async () => {
    await start()
    const { user } = await auth.given.session('ada@example.test')
    await auth.post('/otp', { email: 'ADA@Example.Test' })
    await settled()
    const token = mails.at(-1)?.text.match(/\b\d{6}\b/)?.[0]
    const signedIn = await signedInBy({ type: 'email', email: 'Ada@EXAMPLE.test', token })

    expect(statusAndCode(await enroll(signedIn))).toEqual(notIndependent)
    expect(await auth.auth.admin.listFactors(user.id)).toEqual([])
  })

  it('sets no password by which the factor could be used', async () => {
    await start()
    const { email, id } = await verified()
    const recovered = await signedInByLink('recovery', email)

    const changed = await auth.put(
      '/user',
      { password: 'an attacker chose it' },
      { token: recovered },
    )
    const { hashedToken } = await auth.auth.admin.generateLink({ type: 'recovery', email })
    await auth.rows(`update auth.users set password_hash = null where email = $1`, [email])
    const given = { type: 'recovery', token_hash: hashedToken }
    const password = 'an attacker chose it'
    const withPassword = await auth.post('/verify', { ...given, password })
    const verifiedAgain = await auth.post('/verify', given)
    const signIn = await auth.post('/token?grant_type=password', {
      email,
      password: 'an attacker chose it',
    })

    expect(statusAndCode(changed)).toEqual([401, 'insufficient_aal'])
    expect(statusAndCode(withPassword)).toEqual([422, 'validation_failed'])
    expect([verifiedAgain.status, signIn.status]).toEqual([200, 400])
    expect(statusAndCode(await challenge(verifiedAgain.body.access_token, id))).toEqual(
      notIndependent,
    )
  })

  it('is one by a provider, whose identity may have joined the account by the address', async () => {
    await start()
    const { id, email } = await verified()
    const token = await signedInByPassword(email)
    await auth.rows(
      `update auth.sessions set amr = '[{"method": "oauth", "timestamp": 1}]' where aal = 'aal1'`,
    )

    expect(statusAndCode(await challenge(token, id))).toEqual(notIndependent)
  })

  it('is one whose code has no stated recipient, as from another service', async () => {
    await start()
    const { id, email } = await verified()
    const token = await signedInByPassword(email)
    const sentTo = (entry: object) =>
      auth.rows(`update auth.sessions set amr = $1::text::jsonb where aal = 'aal1'`, [
        JSON.stringify([{ method: 'otp', timestamp: 1, ...entry }]),
      ])

    await sentTo({})
    const unknown = await challenge(token, id)
    await sentTo({ sentTo: 'phone' })
    const phone = await challenge(token, id)

    expect([unknown, phone].map(statusAndCode)).toEqual([notIndependent, [200, undefined]])
  })
})

describe('a session by a code to a phone', () => {
  it('is raised by a code to the address, and its tokens do not contain the recipient', async () => {
    await start()
    const { user, email } = { user: await auth.given.user(), email: '' }
    const phone = '4915550000001'
    await auth.auth.admin.updateUser(user.id, { phone, phoneConfirm: true })
    const token = await signedInByPhone(phone)

    const { body: factor } = await enroll(token)
    const { body: requested } = await challenge(token, factor.id)
    const { body } = await factors.answer(token, factor.id, requested.id, await mailedCode())

    expect(email).toBe('')
    const timestamp = expect.any(Number)
    expect(claimsIn(token).amr).toEqual([{ method: 'otp', timestamp }])
    expect(claimsIn(body.access_token).amr).toEqual([
      { method: 'mfa/email', timestamp },
      { method: 'otp', timestamp },
    ])
    const renewed = await factors.refresh(body.refresh_token)
    expect(claimsIn(renewed.body.access_token).amr).toEqual(claimsIn(body.access_token).amr)
  })
})

describe('the address of the factor', () => {
  it('must be confirmed at enrollment, at the challenge and at the verification', async () => {
    await start()
    const confirm = (id: string, at: string) =>
      auth.rows(
        `update auth.users set email_confirmed_at = ${at}, phone = '49155',
          phone_confirmed_at = created_at where id = $1`,
        [id],
      )
    const { user, token, id, ask, answer } = await begun()
    const { body } = await ask()
    const code = await mailedCode()
    await confirm(user.id, 'null')

    const answers = [await enroll(token), await ask(), await answer(body.id, code)]
    expect(answers.map(statusAndCode)).toEqual(answers.map(() => [422, 'email_not_confirmed']))

    await confirm(user.id, 'created_at')
    expect((await answer(body.id, code)).status).toBe(200)
    expect(id).toBeDefined()
  })

  it('is none for a user without one', async () => {
    await start()
    const { user, accessToken: token } = await auth.given.session()
    await auth.rows(`update auth.users set email = null, email_confirmed_at = null where id = $1`, [
      user.id,
    ])

    expect(statusAndCode(await enroll(token))).toEqual([422, 'email_not_confirmed'])
  })

  it('follows the account, and a code to the address from before is wrong', async () => {
    await start()
    const { user, token, id } = await verified('before@example.test')
    const { body: before } = await challenge(token, id)
    const old = await mailedCode()
    await auth.auth.admin.updateUser(user.id, { email: 'after@example.test', emailConfirm: true })

    const stale = await factors.answer(token, id, before.id, old)
    auth.clock.advance(60)
    const { body: requested } = await challenge(token, id)
    const right = await factors.answer(token, id, requested.id, await mailedCode())

    expect(statusAndCode(stale)).toEqual([422, 'mfa_verification_failed'])
    expect(mails.at(-1)?.to).toBe('after@example.test')
    expect(right.status).toBe(200)
  })

  it('is read again under the lock: after a change during the hook the code is wrong', async () => {
    let during: (() => Promise<unknown>) | null = null
    await start({
      hooks: {
        mfaVerificationAttempt: async () => {
          await during?.()
          return { decision: 'continue' }
        },
      },
    })
    const { user, ask, answer } = await begun()
    const { body } = await ask()
    const code = await mailedCode()
    during = () =>
      auth.auth.admin.updateUser(user.id, { email: 'moved@example.test', emailConfirm: true })

    expect(statusAndCode(await answer(body.id, code))).toEqual([422, 'mfa_verification_failed'])
    expect(await auth.auth.admin.listFactors(user.id)).toMatchObject([{ status: 'unverified' }])
  })

  it('cannot be changed in a session with only a password', async () => {
    await start()
    const { email } = await verified()
    const token = await signedInByPassword(email)

    const answer = await auth.put('/user', { email: 'attacker@example.test' }, { token })

    expect(statusAndCode(answer)).toEqual([401, 'insufficient_aal'])
  })

  it('of another user receives nothing', async () => {
    await start()
    const { id } = await verified()
    const { accessToken: other } = await auth.given.session()

    expect(statusAndCode(await challenge(other, id))).toEqual([404, 'mfa_factor_not_found'])
  })
})
