import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Arrived,
  clubMember,
  clubSettings,
  type FakeRealm,
  signInAtRealm,
  startFakeRealm,
  type Traveller,
} from '../../../test/support/fake-realm.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { testPassword, withoutAutoconfirm } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../index.ts'

let realm: FakeRealm
const running: MessagingAuth[] = []
let auth: MessagingAuth

const start = async (config: AuthConfig = {}): Promise<MessagingAuth> => {
  const started = await startMessagingAuth({
    providers: {
      club: clubSettings(realm),
      guild: clubSettings(realm),
      optional: clubSettings(realm, { emailOptional: true }),
      closed: clubSettings(realm, { signUpDisabled: true }),
      staff: clubSettings(realm),
      payroll: clubSettings(realm),
      partners: clubSettings(realm),
    },
    externalSignIn: {
      linkingDomains: { staff: 'company', payroll: 'company' },
      ownLinkingDomains: ['Partners'],
    },
    ...config,
  })
  running.push(started)
  return started
}

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await start()
})
afterAll(async () => {
  await Promise.all(running.map(({ close }) => close()))
  await realm.close()
})

let count = 0
const newAddress = () => `ann-${++count}@example.test`
const newSubject = () => `subject-${++count}`
const proved = (address: string) => ({ address, isVerified: true })
const unproved = (address: string) => ({ address, isVerified: false })

interface Coming {
  emails: Parameters<typeof clubMember>[1]
  provider?: string
  subject?: string
  claims?: Record<string, unknown>
  on?: MessagingAuth
  query?: Record<string, string>
  browser?: Traveller
}
const come = ({
  emails,
  provider = 'club',
  subject = newSubject(),
  claims,
  on = auth,
  query,
  browser,
}: Coming): Promise<Arrived> =>
  signInAtRealm(on, realm, clubMember(subject, emails, claims), { provider, ...query }, browser)

const userOf = async ({ fragment, query }: Arrived, on = auth) => {
  expect(query).toEqual({})
  return (await on.get('/user', { token: fragment['access_token'] })).body
}
const refusal = ({ query }: Arrived) => [query['error'], query['error_code']]
const usersWith = async (email: string, on = auth) =>
  on.rows<{ id: string; email: string | null }>(
    `select distinct u.id, u.email from auth.users u left join auth.identities i on i.user_id = u.id
      where u.email = $1 or i.email = $1`,
    [email],
  )
const byPassword = (email: string, on = auth) =>
  on.post('/token?grant_type=password', { email, password: testPassword })
const signUp = (email: string, ip?: string, on = auth) =>
  on.post(
    '/signup',
    { email, password: testPassword, data: { planted: 'yes' } },
    { ...(ip && { ip }) },
  )

const needsVerification = ['access_denied', 'provider_email_needs_verification']

describe('row 1: the identity is known', () => {
  it('finds its user, whatever address comes with it', async () => {
    const subject = newSubject()
    const first = await userOf(await come({ subject, emails: [proved(newAddress())] }))
    const other = await auth.given.user()
    for (const emails of [
      [proved(newAddress())],
      [unproved(newAddress())],
      [proved(other.email ?? '')],
    ]) {
      const again = await userOf(await come({ subject, emails }))
      expect([again.id, again.email]).toEqual([first.id, first.email])
    }
  })

  it('keeps apart the same subject of another provider', async () => {
    const subject = newSubject()
    const one = await userOf(await come({ subject, emails: [proved(newAddress())] }))
    const other = await userOf(
      await come({ subject, provider: 'guild', emails: [proved(newAddress())] }),
    )
    expect(other.id).not.toBe(one.id)
  })

  it('finds its user however many others claim the same address', async () => {
    const email = newAddress()
    for (let claimants = 0; claimants < 12; claimants++) {
      const subject = newSubject()
      await come({ subject, emails: [proved(newAddress())] })
      await come({ subject, emails: [unproved(email)] })
    }
    auth.clock.advance(60)
    const subject = newSubject()
    const first = await come({ subject, provider: 'guild', emails: [proved(email)] })
    const again = await come({ subject, provider: 'guild', emails: [proved(email)] })
    expect(refusal(first)).toEqual([undefined, undefined])
    expect((await userOf(again)).id).toBe((await userOf(first)).id)
  })

  it('lets in whom the provider has verified since, though somebody else has the address', async () => {
    const { id, email } = await auth.given.user()
    const subject = newSubject()
    const before = await come({ subject, emails: [unproved(email ?? '')] })
    expect(refusal(before)).toEqual(needsVerification)
    expect(before.query['error_description']).toContain('Verify the email with Club')

    const after = await userOf(await come({ subject, emails: [proved(email ?? '')] }))
    expect(after.id).not.toBe(id)
    expect(after.email).toBe('')
  })

  it('takes an address that the provider has verified since, where the old one was never proved', async () => {
    const [old, current] = [newAddress(), newAddress()]
    const subject = newSubject()
    expect(refusal(await come({ subject, emails: [unproved(old)] }))).toEqual(needsVerification)
    const user = await userOf(await come({ subject, emails: [proved(current)] }))
    expect(user).toMatchObject({ email: current, email_confirmed_at: expect.any(String) })
  })

  it('does not confirm an address by another that the provider verified', async () => {
    const [victim, own] = [newAddress(), newAddress()]
    const subject = newSubject()
    await auth.auth.admin.createUser({ email: own, emailConfirm: true })
    await come({ subject, emails: [unproved(victim)] })
    await come({ subject, emails: [proved(own)] })
    const [user] = await auth.rows<{ email_confirmed_at: Date | null }>(
      'select email_confirmed_at from auth.users where email = $1',
      [victim],
    )
    expect(user?.email_confirmed_at ?? null).toBeNull()
  })
})

describe('rows 2 and 3: nothing is verified', () => {
  it('leaves the address to whoever has it, confirmed or not', async () => {
    const confirmed = (await auth.given.user()).email ?? ''
    const unconfirmed = newAddress()
    await signUp(unconfirmed)
    for (const email of [confirmed, unconfirmed]) {
      const subject = newSubject()
      expect(refusal(await come({ subject, emails: [unproved(email)] }))).toEqual(needsVerification)
      const [made] = await auth.rows(
        `select u.email, i.email as claimed from auth.identities i join auth.users u on u.id = i.user_id
          where i.subject = $1`,
        [subject],
      )
      expect(made).toEqual({ email: null, claimed: email })
    }
  })

  it('leaves it to another identity that names it', async () => {
    const subject = newSubject()
    const [old, current] = [newAddress(), newAddress()]
    await come({ subject, emails: [proved(old)] })
    await come({ subject, emails: [proved(current)] })
    const arrived = await come({ emails: [unproved(current)] })
    expect(arrived.query['error_description']).toContain('Verify the email with Club')
  })

  it('sends a mail to an address that nobody has', async () => {
    const email = newAddress()
    const arrived = await come({ emails: [unproved(email)] })
    expect(refusal(arrived)).toEqual(needsVerification)
    expect(await auth.messagesTo(email)).toHaveLength(1)
    expect(await usersWith(email)).toMatchObject([{ email }])
  })
})

it('leads nobody of a provider with a domain of its own to the account of another', async () => {
  const email = newAddress()
  const club = await userOf(await come({ emails: [proved(email)] }))
  const partner = await userOf(await come({ provider: 'partners', emails: [proved(email)] }))
  expect(partner.id).not.toBe(club.id)
})

describe('rows 4 to 7: verified addresses', () => {
  it('lead to the account of an identity that has one of them', async () => {
    const [old, current] = [newAddress(), newAddress()]
    const subject = newSubject()
    const known = await userOf(await come({ subject, emails: [proved(old)] }))
    await come({ subject, emails: [proved(current)] })
    const joined = await userOf(await come({ provider: 'guild', emails: [proved(current)] }))
    expect(joined.id).toBe(known.id)
  })

  it('lead nowhere by an identity whose provider did not verify the address', async () => {
    const subject = newSubject()
    const email = newAddress()
    const own = await userOf(await come({ subject, emails: [proved(newAddress())] }))
    await come({ subject, emails: [unproved(email)] })
    const other = await userOf(await come({ provider: 'guild', emails: [proved(email)] }))
    expect(other.id).not.toBe(own.id)
  })

  it('lead nowhere where identities of several users have them', async () => {
    const [one, two] = [newAddress(), newAddress()]
    await come({ emails: [proved(one)] })
    await come({ emails: [proved(two)] })
    const arrived = await come({ provider: 'guild', emails: [proved(one), proved(two)] })
    expect(refusal(arrived)).toEqual(['server_error', 'conflict'])
  })

  it('lead nowhere where several confirmed users have them', async () => {
    const [one, two] = [await auth.given.user(), await auth.given.user()]
    const emails = [proved(one.email ?? ''), proved(two.email ?? '')]
    expect(refusal(await come({ emails }))).toEqual(['server_error', 'conflict'])
  })

  it('lead to a confirmed user by a secondary one', async () => {
    const user = await auth.given.user()
    const arrived = await come({ emails: [unproved(newAddress()), proved(user.email ?? '')] })
    expect((await userOf(arrived)).id).toBe(user.id)
  })

  it('T10: are not kept from their owner by who registered several of them', async () => {
    const [one, two] = [newAddress(), newAddress()]
    await signUp(one, '198.51.100.1')
    await signUp(two, '198.51.100.1')
    const user = await userOf(await come({ emails: [proved(two), proved(one)] }))
    expect(user.email).toBe(two)
    expect(user.user_metadata['planted']).toBeUndefined()
  })

  it('T10: lead to the confirmed user, whatever somebody registered beside', async () => {
    const user = await auth.given.user()
    const registered = newAddress()
    await signUp(registered, '198.51.100.1')
    const arrived = await come({ emails: [proved(registered), proved(user.email ?? '')] })
    expect((await userOf(arrived)).id).toBe(user.id)
  })
})

describe('row 8: nobody is there', () => {
  it('makes a user with the primary address, verified or not', async () => {
    const [one, two] = [newAddress(), newAddress()]
    expect((await userOf(await come({ emails: [proved(one), proved(two)] }))).email).toBe(one)
    const [three, four] = [newAddress(), newAddress()]
    const arrived = await come({ emails: [unproved(three), proved(four)] })
    expect(refusal(arrived)).toEqual(needsVerification)
    expect(await auth.messagesTo(three)).toHaveLength(1)
  })

  it('leaves an unverified primary address to whoever has it', async () => {
    const { email } = await auth.given.user()
    const arrived = await come({ emails: [unproved(email ?? ''), proved(newAddress())] })
    expect(refusal(arrived)).toEqual(needsVerification)
  })
})

describe('linking domains', () => {
  it('keep the accounts of a provider apart, both ways round', async () => {
    const email = newAddress()
    const own = await userOf(await come({ emails: [proved(email)] }))
    const apart = await userOf(await come({ provider: 'staff', emails: [proved(email)] }))
    const again = await userOf(await come({ provider: 'guild', emails: [proved(email)] }))
    expect(apart.id).not.toBe(own.id)
    expect(apart.email).toBe(email)
    expect(again.id).toBe(own.id)
  })

  it('are shared by their providers', async () => {
    const email = newAddress()
    const one = await userOf(await come({ provider: 'staff', emails: [proved(email)] }))
    const two = await userOf(await come({ provider: 'payroll', emails: [proved(email)] }))
    const local = await userOf(await come({ emails: [proved(email)] }))
    expect([two.id === one.id, local.id === one.id]).toEqual([true, false])
  })

  it('hold for a provider in whatever letter case it was named', async () => {
    const on = await start({ externalSignIn: { linkingDomains: { Staff: 'company' } } })
    const { id, email } = await on.given.user()
    const apart = await userOf(
      await come({ on, provider: 'staff', emails: [proved(email ?? '')] }),
      on,
    )
    expect(apart.id).not.toBe(id)
  })
})

describe('who may not come in', () => {
  it('is banned: by the identity, or by the address', async () => {
    const subject = newSubject()
    const emails = [proved(newAddress())]
    const { id } = await userOf(await come({ subject, emails }))
    await auth.auth.admin.updateUser(id, { banDuration: '24h' })
    expect(refusal(await come({ subject, emails }))).toEqual(['access_denied', 'user_banned'])
    expect(refusal(await come({ provider: 'guild', emails }))).toEqual([
      'access_denied',
      'user_banned',
    ])
  })

  it('was banned before anybody proved the address', async () => {
    const email = newAddress()
    const { body } = await signUp(email)
    await auth.auth.admin.updateUser(body.id ?? body.user.id, { banDuration: '24h' })
    expect(refusal(await come({ emails: [proved(email)] }))).toEqual([
      'access_denied',
      'user_banned',
    ])
  })

  it('is new where sign-ups are closed: for all, or with this provider', async () => {
    const on = await start({ signUp: { disabled: true } })
    const { id, email } = await on.given.user()
    const closed = ['access_denied', 'signup_disabled']
    expect(refusal(await come({ on, emails: [proved(newAddress())] }))).toEqual(closed)
    expect((await userOf(await come({ on, emails: [proved(email ?? '')] }), on)).id).toBe(id)
    expect(refusal(await come({ provider: 'closed', emails: [proved(newAddress())] }))).toEqual(
      closed,
    )
    expect(await usersWith('nobody@example.test', on)).toEqual([])
  })

  it.each([true, false])('was deleted, softly %s: comes as somebody new', async (soft) => {
    const subject = newSubject()
    const emails = [proved(newAddress())]
    const first = await userOf(await come({ subject, emails, claims: { name: 'Old' } }))
    await auth.auth.admin.deleteUser(first.id, { soft } as never)
    const second = await userOf(await come({ subject, emails }))
    expect(second.id).not.toBe(first.id)
    expect(second.user_metadata['name']).toBeUndefined()
  })
})

describe('whose account is joined', () => {
  const join = async (email: string, on = auth) =>
    userOf(await come({ on, emails: [proved(email)] }), on)

  it('keeps what an operator gave, confirmed or not', async () => {
    for (const emailConfirm of [true, false]) {
      const email = newAddress()
      const made = await auth.auth.admin.createUser({
        email,
        password: testPassword,
        emailConfirm,
        userMetadata: { team: 'blue' },
        appMetadata: { plan: 'gold' },
      })
      const user = await join(email)
      expect(user).toMatchObject({
        id: made.id,
        user_metadata: { team: 'blue' },
        app_metadata: { plan: 'gold', providers: ['email', 'club'] },
      })
      expect((await byPassword(email)).status).toBe(200)
    }
  })

  it('keeps what an invitation gave, and its link is spent', async () => {
    const email = newAddress()
    const invited = await auth.auth.admin.inviteUser({ email, data: { team: 'blue' } })
    const mail = await auth.messageTo(email)
    const user = await join(email)
    expect(user).toMatchObject({ id: invited.id, user_metadata: { team: 'blue' } })
    const { fragment } = await auth.follow(mail)
    expect(fragment.get('error_code')).toBe('otp_expired')
  })

  it('was imported without a proof: keeps what the operator said, and no password', async () => {
    const email = newAddress()
    const { id } = await auth.given.user()
    const [hashed] = await auth.rows<{ password_hash: string }>(
      'select password_hash from auth.users where id = $1',
      [id],
    )
    const passwordHash = hashed?.password_hash ?? ''
    await auth.auth.admin.importUsers([{ email, passwordHash, userMetadata: { team: 'blue' } }])
    const user = await join(email)
    expect(user.user_metadata.team).toBe('blue')
    expect((await byPassword(email)).status).toBe(400)
  })

  it('in an audience of its own stays there', async () => {
    const email = newAddress()
    const made = await auth.auth.admin.createUser({
      email,
      emailConfirm: true,
      audience: 'elsewhere',
    } as never)
    expect((await join(email)).aud).toBe(made.audience)
  })

  it('was proved by a phone alone: nobody comes in by its unproved address', async () => {
    const email = newAddress()
    const number = `4915500${String(++count).padStart(5, '0')}`
    await auth.auth.admin.createUser({ phone: number, phoneConfirm: true, email })
    expect(refusal(await come({ emails: [proved(email)] }))).toEqual([
      'server_error',
      'email_exists',
    ])
  })

  it('T31: has a second factor, and the session has not shown it', async () => {
    const factors = secondFactors(auth)
    const { user } = await factors.strongSession(newAddress())
    const arrived = await come({ emails: [proved(user.email ?? '')] })
    const token = arrived.fragment['access_token'] ?? ''
    const claims = await auth.auth.verifyToken(token)
    expect([claims.aal, claims.amr]).toMatchObject(['aal1', [{ method: 'oauth' }]])
    const enrolling = await factors.enroll(token)
    expect(enrolling.body.error_code).toBe('insufficient_aal')
    const { body } = await auth.get('/user', { token })
    expect(body.factors).toHaveLength(1)
  })

  it('T15: is found by the one spelling of its address', async () => {
    const { id, email } = await auth.given.user()
    expect((await join((email ?? '').toUpperCase())).id).toBe(id)
  })

  it.each([
    ['a look-alike letter', (email: string) => email.replace('a', 'а')],
    [
      'a letter that becomes ASCII in lower case',
      (email: string) => email.replace('example', 'examp\u212Ae'),
    ],
    ['a full-width at sign', (email: string) => email.replace('@', '\uFF20')],
    ['a second mailbox', (email: string) => `${email}, mallory@evil.test`],
    ['a line break', (email: string) => `${email}\r\nBcc: mallory@evil.test`],
    ['a NUL', (email: string) => `${email}\0`],
    ['white space', (email: string) => ` ${email} `],
    ['a display name', (email: string) => `Ann <${email}>`],
  ])('T15, T16: is not found by %s', async (_case, spell) => {
    const { email } = await auth.given.user()
    const arrived = await come({ emails: [proved(spell(email ?? ''))] })
    expect(refusal(arrived)).toEqual(['server_error', 'unexpected_failure'])
  })
})

describe('the confirmation step', () => {
  it('A: with autoconfirm an address that nobody has needs no proof', async () => {
    const on = await start({ email: { autoconfirm: true } })
    const email = newAddress()
    const user = await userOf(await come({ on, emails: [unproved(email)] }), on)
    expect(user).toMatchObject({ email, email_confirmed_at: expect.any(String) })
    expect(user.identities[0].identity_data.email_verified).toBe(false)
  })

  it('T11: with autoconfirm an unverified address still finds nobody', async () => {
    const on = await start({ email: { autoconfirm: true } })
    const { id, email } = await on.given.user()
    const arrived = await come({ on, emails: [unproved(email ?? '')] })
    expect(refusal(arrived)).toEqual(needsVerification)
    const identities = await on.rows<{ provider: string }>(
      'select provider from auth.identities where user_id = $1',
      [id],
    )
    expect(identities).toEqual([{ provider: 'email' }])
  })

  it('B: sends another mail, but no sooner than the interval allows', async () => {
    const on = await start({ email: { ...withoutAutoconfirm.email, maxFrequencySeconds: 900 } })
    const subject = newSubject()
    const email = newAddress()
    const again = () => come({ on, subject, emails: [unproved(email)] })
    expect(refusal(await again())).toEqual(needsVerification)
    expect(refusal(await again())).toEqual(['server_error', 'over_email_send_rate_limit'])
    expect(await on.messagesTo(email)).toHaveLength(1)
    on.clock.advance(900)
    expect(refusal(await again())).toEqual(needsVerification)
    expect(await on.messagesTo(email)).toHaveLength(2)
  })

  it('C: is refused each time without an address, and makes one user', async () => {
    const { email } = await auth.given.user()
    const subject = newSubject()
    for (let tries = 0; tries < 3; tries++) {
      await come({ subject, emails: [unproved(email ?? '')] })
    }
    const identities = await auth.rows('select 1 from auth.identities where subject = $1', [
      subject,
    ])
    expect(identities).toHaveLength(1)
  })

  it('B: is passed over where unverified sign-ins are allowed, and the mail is sent', async () => {
    const on = await start({
      email: {
        ...withoutAutoconfirm.email,
        allowUnverifiedSignIns: true,
        maxFrequencySeconds: 900,
      },
    })
    const subject = newSubject()
    const email = newAddress()
    const user = await userOf(await come({ on, subject, emails: [unproved(email)] }), on)
    expect(user.email).toBe(email)
    expect(user.email_confirmed_at ?? null).toBeNull()
    expect(await on.messagesTo(email)).toHaveLength(1)
    const again = await userOf(await come({ on, subject, emails: [unproved(email)] }), on)
    expect(again.id).toBe(user.id)
    expect(await on.messagesTo(email)).toHaveLength(1)
  })

  it('T11: allowed unverified sign-ins find nobody either', async () => {
    const on = await start({ email: { ...withoutAutoconfirm.email, allowUnverifiedSignIns: true } })
    const { id, email } = await on.given.user()
    const user = await userOf(await come({ on, emails: [unproved(email ?? '')] }), on)
    expect([user.id === id, user.email]).toEqual([false, ''])
  })

  it('is refused at start: autoconfirm with allowed unverified sign-ins', async () => {
    const both = start({ email: { autoconfirm: true, allowUnverifiedSignIns: true } })
    await expect(both).rejects.toThrow(/allowUnverifiedSignIns/)
  })

  it('D: an optional address may be missing', async () => {
    const subject = newSubject()
    const user = await userOf(await come({ subject, provider: 'optional', emails: [] }))
    expect(user.email).toBe('')
    expect((await userOf(await come({ subject, provider: 'optional', emails: [] }))).id).toBe(
      user.id,
    )
  })

  it('D: an optional address that is there has to be proved', async () => {
    const arrived = await come({ provider: 'optional', emails: [unproved(newAddress())] })
    expect(refusal(arrived)).toEqual(needsVerification)
  })

  it('C: an optional address that somebody else has is left out, and the user comes in', async () => {
    const { id, email } = await auth.given.user()
    const user = await userOf(await come({ provider: 'optional', emails: [unproved(email ?? '')] }))
    expect([user.id === id, user.email]).toEqual([false, ''])
  })

  it('D: whose phone was proved comes in with a known identity', async () => {
    const subject = newSubject()
    const { id } = await userOf(await come({ subject, provider: 'optional', emails: [] }))
    const number = `4915600${String(++count).padStart(5, '0')}`
    await auth.auth.admin.updateUser(id, { phone: number, phoneConfirm: true })
    // As it is where somebody who came by phone linked an account.
    await auth.rows(`update auth.identities set provider = 'club' where subject = $1`, [subject])
    for (const emails of [[proved(newAddress())], [unproved(newAddress())]]) {
      expect((await userOf(await come({ subject, emails }))).id).toBe(id)
    }
  })
})

describe('what a provider says', () => {
  it('goes into the metadata of the user, over what is there, and never into that of the app', async () => {
    const email = newAddress()
    const made = await auth.auth.admin.createUser({
      email,
      emailConfirm: true,
      userMetadata: { name: 'Ours', team: 'blue' },
      appMetadata: { role: 'reader' },
    })
    const claims = {
      name: 'Theirs',
      role: 'admin',
      app_metadata: { role: 'admin' },
      provider: 'email',
      sub: made.id,
      email: 'mallory@evil.test',
      email_verified: true,
      phone_verified: true,
    }
    const subject = newSubject()
    const user = await userOf(await come({ subject, emails: [proved(email)], claims }))
    expect(user).toMatchObject({
      id: made.id,
      email,
      role: 'authenticated',
      app_metadata: { role: 'reader', provider: 'email', providers: ['email', 'club'] },
      user_metadata: { name: 'Theirs', team: 'blue', sub: subject, email, phone_verified: false },
    })
  })

  it('is not believed where it is no boolean', async () => {
    const { id, email } = await auth.given.user()
    for (const isVerified of ['false', 'true', 1, {}]) {
      const emails = [{ address: email ?? '', isVerified: isVerified as boolean }]
      expect(refusal(await come({ emails }))).toEqual(needsVerification)
    }
    expect((await auth.auth.admin.getUser(id)).identities).toHaveLength(1)
  })

  it.each<[string, Record<string, unknown>]>([
    ['two hundred kilobytes', { name: 'x'.repeat(200_000) }],
    ['thousands of custom claims', { custom_claims: { groups: Array(3_000).fill('group') } }],
    ['numbers that take more room than they look', { custom_claims: Array(2000).fill(1e300) }],
    ['NUL and half characters', { name: 'a\0b', picture: '\ud800', 'c\0d': 1, nickname: 'ok' }],
    ['names of every object', JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": 1}')],
    ['a few numbers that take more room than they look', { custom_claims: Array(300).fill(1e300) }],
    ['nested deep', { custom_claims: JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`) }],
  ])('lets somebody in however odd: %s', async (_case, claims) => {
    const subject = newSubject()
    const emails = [proved(newAddress())]
    const user = await userOf(await come({ subject, emails, claims }))
    expect(user.user_metadata.sub).toBe(subject)
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false)
    expect((await userOf(await come({ subject, emails, claims }))).id).toBe(user.id)
  })

  it('never keeps out whose metadata is full', async () => {
    const { id, email } = await auth.given.user()
    const { maxMetadataBytes } = (await auth.deps()).config.security
    const room = maxMetadataBytes - Buffer.byteLength(JSON.stringify({ text: '' })) - 30
    await auth.auth.admin.updateUser(id, { userMetadata: { text: 'x'.repeat(room) } })
    const user = await userOf(await come({ emails: [proved(email ?? '')] }))
    expect([user.id, user.user_metadata.text.length]).toEqual([id, room])
  })

  it.each([
    ['no subject', null],
    ['an empty one', ''],
    ['one of another type', 7],
    ['one that is too long', 'x'.repeat(256)],
    ['one with a NUL', 'a\0b'],
  ])('is refused with %s', async (_case, subject) => {
    const emails = [proved(newAddress())]
    const arrived = await come({ subject: subject as string, emails })
    expect(refusal(arrived)).toEqual(['server_error', 'unexpected_failure'])
  })
})

describe('mapProfile', () => {
  const withMap = (mapProfile: (profile: never) => unknown) =>
    start({
      providers: { club: clubSettings(realm, { mapProfile: mapProfile as never }) },
      externalSignIn: {},
    })

  it('decides by what it returns, alone', async () => {
    const email = newAddress()
    const on = await withMap(() => ({
      subject: 'mapped',
      emails: [{ address: email, isVerified: true }],
      claims: { name: 'Mapped' },
    }))
    const user = await userOf(await come({ on, emails: [proved(newAddress())] }), on)
    expect(user).toMatchObject({ email, identities: [{ id: 'mapped' }] })
  })

  it('may say more than any stack holds', async () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const on = await withMap((profile: object) => ({ ...profile, claims: { custom_claims: deep } }))
    const email = newAddress()
    expect((await userOf(await come({ on, emails: [proved(email)] }), on)).email).toBe(email)
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('a secret of the application')
      },
    ],
    ['returns nothing', () => undefined],
    ['returns a promise', async () => ({ subject: 'x', emails: [], claims: {} })],
    ['returns something else', () => ({ subject: 'x', emails: 'a@b.test', claims: 7 })],
  ])('that %s lets nobody in, and tells nothing', async (_case, map) => {
    const on = await withMap(map)
    const arrived = await come({ on, emails: [proved(newAddress())] })
    expect(refusal(arrived)).toEqual(['server_error', 'unexpected_failure'])
    expect(arrived.location.href).not.toContain('secret')
    expect(await on.rows('select 1 from auth.users')).toEqual([])
  })
})
