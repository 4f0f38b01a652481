import { describe, expect, it } from 'vitest'
import {
  needsVerification,
  newAddress,
  newSubject,
  proved,
  rejection,
  unproved,
  useClubs,
} from '../../../test/support/clubs.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { testPassword } from '../../../test/support/test-auth.ts'

const clubs = useClubs()

const usersWith = async (email: string, on = clubs.auth) =>
  on.rows<{ id: string; email: string | null }>(
    `select distinct u.id, u.email from auth.users u left join auth.identities i on i.user_id = u.id
      where u.email = $1 or i.email = $1`,
    [email],
  )
const byPassword = (email: string, on = clubs.auth) =>
  on.post('/token?grant_type=password', { email, password: testPassword })
const signUp = (email: string, ip?: string, on = clubs.auth) =>
  on.post(
    '/signup',
    { email, password: testPassword, data: { planted: 'yes' } },
    { ...(ip && { ip }) },
  )

describe('row 1: the identity is known', () => {
  it('finds its user, with any address', async () => {
    const subject = newSubject()
    const first = await clubs.userOf(await clubs.come({ subject, emails: [proved(newAddress())] }))
    const other = await clubs.auth.given.user()
    for (const emails of [
      [proved(newAddress())],
      [unproved(newAddress())],
      [proved(other.email ?? '')],
    ]) {
      const again = await clubs.userOf(await clubs.come({ subject, emails }))
      expect([again.id, again.email]).toEqual([first.id, first.email])
    }
  })

  it('distinguishes the same subject of another provider', async () => {
    const subject = newSubject()
    const one = await clubs.userOf(await clubs.come({ subject, emails: [proved(newAddress())] }))
    const other = await clubs.userOf(
      await clubs.come({ subject, provider: 'guild', emails: [proved(newAddress())] }),
    )
    expect(other.id).not.toBe(one.id)
  })

  it('finds its user when any number of others have the same address', async () => {
    const email = newAddress()
    for (let claimants = 0; claimants < 12; claimants++) {
      const subject = newSubject()
      await clubs.come({ subject, emails: [proved(newAddress())] })
      await clubs.come({ subject, emails: [unproved(email)] })
    }
    clubs.auth.clock.advance(60)
    const subject = newSubject()
    const first = await clubs.come({ subject, provider: 'guild', emails: [proved(email)] })
    const again = await clubs.come({ subject, provider: 'guild', emails: [proved(email)] })
    expect(rejection(first)).toEqual([undefined, undefined])
    expect((await clubs.userOf(again)).id).toBe((await clubs.userOf(first)).id)
  })

  it('signs in a user whose provider has since verified the address, though another user has it', async () => {
    const { id, email } = await clubs.auth.given.user()
    const subject = newSubject()
    const before = await clubs.come({ subject, emails: [unproved(email ?? '')] })
    expect(rejection(before)).toEqual(needsVerification)
    expect(before.query['error_description']).toContain('Verify the email with Club')

    const after = await clubs.userOf(await clubs.come({ subject, emails: [proved(email ?? '')] }))
    expect(after.id).not.toBe(id)
    expect(after.email).toBe('')
  })

  it('replaces an unconfirmed address by one that the provider has verified since', async () => {
    const [old, current] = [newAddress(), newAddress()]
    const subject = newSubject()
    expect(rejection(await clubs.come({ subject, emails: [unproved(old)] }))).toEqual(
      needsVerification,
    )
    const user = await clubs.userOf(await clubs.come({ subject, emails: [proved(current)] }))
    expect(user).toMatchObject({ email: current, email_confirmed_at: expect.any(String) })
  })

  it('does not confirm an address by another that the provider verified', async () => {
    const [victim, own] = [newAddress(), newAddress()]
    const subject = newSubject()
    await clubs.auth.auth.admin.createUser({ email: own, emailConfirm: true })
    await clubs.come({ subject, emails: [unproved(victim)] })
    await clubs.come({ subject, emails: [proved(own)] })
    const [user] = await clubs.auth.rows<{ email_confirmed_at: Date | null }>(
      'select email_confirmed_at from auth.users where email = $1',
      [victim],
    )
    expect(user?.email_confirmed_at ?? null).toBeNull()
  })
})

describe('rows 2 and 3: nothing is verified', () => {
  it('leaves the address to its user, confirmed or not', async () => {
    const confirmed = (await clubs.auth.given.user()).email ?? ''
    const unconfirmed = newAddress()
    await signUp(unconfirmed)
    for (const email of [confirmed, unconfirmed]) {
      const subject = newSubject()
      expect(rejection(await clubs.come({ subject, emails: [unproved(email)] }))).toEqual(
        needsVerification,
      )
      const [made] = await clubs.auth.rows(
        `select u.email, i.email as claimed from auth.identities i join auth.users u on u.id = i.user_id
          where i.subject = $1`,
        [subject],
      )
      expect(made).toEqual({ email: null, claimed: email })
    }
  })

  it('leaves it to another identity with that address', async () => {
    const subject = newSubject()
    const [old, current] = [newAddress(), newAddress()]
    await clubs.come({ subject, emails: [proved(old)] })
    await clubs.come({ subject, emails: [proved(current)] })
    const arrived = await clubs.come({ emails: [unproved(current)] })
    expect(arrived.query['error_description']).toContain('Verify the email with Club')
  })

  it('sends a mail to an unknown address', async () => {
    const email = newAddress()
    const arrived = await clubs.come({ emails: [unproved(email)] })
    expect(rejection(arrived)).toEqual(needsVerification)
    expect(await clubs.auth.messagesTo(email)).toHaveLength(1)
    expect(await usersWith(email)).toMatchObject([{ email }])
  })
})

it('does not sign in to an account of another linking domain', async () => {
  const email = newAddress()
  const club = await clubs.userOf(await clubs.come({ emails: [proved(email)] }))
  const partner = await clubs.userOf(
    await clubs.come({ provider: 'partners', emails: [proved(email)] }),
  )
  expect(partner.id).not.toBe(club.id)
})

describe('rows 4 to 7: verified addresses', () => {
  it('lead to the account of an identity that has one of them', async () => {
    const [old, current] = [newAddress(), newAddress()]
    const subject = newSubject()
    const known = await clubs.userOf(await clubs.come({ subject, emails: [proved(old)] }))
    await clubs.come({ subject, emails: [proved(current)] })
    const joined = await clubs.userOf(
      await clubs.come({ provider: 'guild', emails: [proved(current)] }),
    )
    expect(joined.id).toBe(known.id)
  })

  it('find no account by an identity whose provider did not verify the address', async () => {
    const subject = newSubject()
    const email = newAddress()
    const own = await clubs.userOf(await clubs.come({ subject, emails: [proved(newAddress())] }))
    await clubs.come({ subject, emails: [unproved(email)] })
    const other = await clubs.userOf(
      await clubs.come({ provider: 'guild', emails: [proved(email)] }),
    )
    expect(other.id).not.toBe(own.id)
  })

  it('find no account where identities of several users have them', async () => {
    const [one, two] = [newAddress(), newAddress()]
    await clubs.come({ emails: [proved(one)] })
    await clubs.come({ emails: [proved(two)] })
    const arrived = await clubs.come({ provider: 'guild', emails: [proved(one), proved(two)] })
    expect(rejection(arrived)).toEqual(['server_error', 'conflict'])
  })

  it('find no account where several confirmed users have them', async () => {
    const [one, two] = [await clubs.auth.given.user(), await clubs.auth.given.user()]
    const emails = [proved(one.email ?? ''), proved(two.email ?? '')]
    expect(rejection(await clubs.come({ emails }))).toEqual(['server_error', 'conflict'])
  })

  it('find a confirmed user by a secondary one', async () => {
    const user = await clubs.auth.given.user()
    const arrived = await clubs.come({ emails: [unproved(newAddress()), proved(user.email ?? '')] })
    expect((await clubs.userOf(arrived)).id).toBe(user.id)
  })

  it('T10: belong to their owner, although an attacker registered several of them', async () => {
    const [one, two] = [newAddress(), newAddress()]
    await signUp(one, '198.51.100.1')
    await signUp(two, '198.51.100.1')
    const user = await clubs.userOf(await clubs.come({ emails: [proved(two), proved(one)] }))
    expect(user.email).toBe(two)
    expect(user.user_metadata['planted']).toBeUndefined()
  })

  it('T10: sign in the confirmed user, also with an unconfirmed sign-up of another address', async () => {
    const user = await clubs.auth.given.user()
    const registered = newAddress()
    await signUp(registered, '198.51.100.1')
    const arrived = await clubs.come({ emails: [proved(registered), proved(user.email ?? '')] })
    expect((await clubs.userOf(arrived)).id).toBe(user.id)
  })
})

describe('row 8: no account exists', () => {
  it('creates a user with the primary address, verified or not', async () => {
    const [one, two] = [newAddress(), newAddress()]
    expect(
      (await clubs.userOf(await clubs.come({ emails: [proved(one), proved(two)] }))).email,
    ).toBe(one)
    const [three, four] = [newAddress(), newAddress()]
    const arrived = await clubs.come({ emails: [unproved(three), proved(four)] })
    expect(rejection(arrived)).toEqual(needsVerification)
    expect(await clubs.auth.messagesTo(three)).toHaveLength(1)
  })

  it('leaves an unverified primary address to its user', async () => {
    const { email } = await clubs.auth.given.user()
    const arrived = await clubs.come({ emails: [unproved(email ?? ''), proved(newAddress())] })
    expect(rejection(arrived)).toEqual(needsVerification)
  })
})

describe('linking domains', () => {
  it('separate the accounts of a provider, in both directions', async () => {
    const email = newAddress()
    const own = await clubs.userOf(await clubs.come({ emails: [proved(email)] }))
    const apart = await clubs.userOf(
      await clubs.come({ provider: 'staff', emails: [proved(email)] }),
    )
    const again = await clubs.userOf(
      await clubs.come({ provider: 'guild', emails: [proved(email)] }),
    )
    expect(apart.id).not.toBe(own.id)
    expect(apart.email).toBe(email)
    expect(again.id).toBe(own.id)
  })

  it('are shared by their providers', async () => {
    const email = newAddress()
    const one = await clubs.userOf(await clubs.come({ provider: 'staff', emails: [proved(email)] }))
    const two = await clubs.userOf(
      await clubs.come({ provider: 'payroll', emails: [proved(email)] }),
    )
    const local = await clubs.userOf(await clubs.come({ emails: [proved(email)] }))
    expect([two.id === one.id, local.id === one.id]).toEqual([true, false])
  })

  it('apply to a provider in any letter case of its name', async () => {
    const on = await clubs.start({ externalSignIn: { linkingDomains: { Staff: 'company' } } })
    const { id, email } = await on.given.user()
    const apart = await clubs.userOf(
      await clubs.come({ on, provider: 'staff', emails: [proved(email ?? '')] }),
      on,
    )
    expect(apart.id).not.toBe(id)
  })
})

describe('a user that may not sign in', () => {
  it('is banned: by the identity, or by the address', async () => {
    const subject = newSubject()
    const emails = [proved(newAddress())]
    const { id } = await clubs.userOf(await clubs.come({ subject, emails }))
    await clubs.auth.auth.admin.updateUser(id, { banDuration: '24h' })
    expect(rejection(await clubs.come({ subject, emails }))).toEqual([
      'access_denied',
      'user_banned',
    ])
    expect(rejection(await clubs.come({ provider: 'guild', emails }))).toEqual([
      'access_denied',
      'user_banned',
    ])
  })

  it('was banned before the address was confirmed', async () => {
    const email = newAddress()
    const { body } = await signUp(email)
    await clubs.auth.auth.admin.updateUser(body.id ?? body.user.id, { banDuration: '24h' })
    expect(rejection(await clubs.come({ emails: [proved(email)] }))).toEqual([
      'access_denied',
      'user_banned',
    ])
  })

  it('is new where sign-ups are closed: for all, or with this provider', async () => {
    const on = await clubs.start({ signUp: { disabled: true } })
    const { id, email } = await on.given.user()
    const closed = ['access_denied', 'signup_disabled']
    expect(rejection(await clubs.come({ on, emails: [proved(newAddress())] }))).toEqual(closed)
    expect(
      (await clubs.userOf(await clubs.come({ on, emails: [proved(email ?? '')] }), on)).id,
    ).toBe(id)
    expect(
      rejection(await clubs.come({ provider: 'closed', emails: [proved(newAddress())] })),
    ).toEqual(closed)
    expect(await usersWith('nobody@example.test', on)).toEqual([])
  })

  it.each([true, false])('was deleted, softly %s: gets a new account', async (soft) => {
    const subject = newSubject()
    const emails = [proved(newAddress())]
    const first = await clubs.userOf(await clubs.come({ subject, emails, claims: { name: 'Old' } }))
    await clubs.auth.auth.admin.deleteUser(first.id, { soft } as never)
    const second = await clubs.userOf(await clubs.come({ subject, emails }))
    expect(second.id).not.toBe(first.id)
    expect(second.user_metadata['name']).toBeUndefined()
  })
})

describe('the account that is joined', () => {
  const join = async (email: string, on = clubs.auth) =>
    clubs.userOf(await clubs.come({ on, emails: [proved(email)] }), on)

  it('keeps the data of an operator, confirmed or not', async () => {
    for (const emailConfirm of [true, false]) {
      const email = newAddress()
      const made = await clubs.auth.auth.admin.createUser({
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

  it('keeps the role and metadata of an invitation, and consumes its link', async () => {
    const email = newAddress()
    const invited = await clubs.auth.auth.admin.inviteUser({ email, data: { team: 'blue' } })
    const mail = await clubs.auth.messageTo(email)
    const user = await join(email)
    expect(user).toMatchObject({ id: invited.id, user_metadata: { team: 'blue' } })
    const { fragment } = await clubs.auth.follow(mail)
    expect(fragment.get('error_code')).toBe('otp_expired')
  })

  it("was imported without a confirmation: keeps the operator's data, and no password", async () => {
    const email = newAddress()
    const { id } = await clubs.auth.given.user()
    const [hashed] = await clubs.auth.rows<{ password_hash: string }>(
      'select password_hash from auth.users where id = $1',
      [id],
    )
    const passwordHash = hashed?.password_hash ?? ''
    await clubs.auth.auth.admin.importUsers([
      { email, passwordHash, userMetadata: { team: 'blue' } },
    ])
    const user = await join(email)
    expect(user.user_metadata.team).toBe('blue')
    expect((await byPassword(email)).status).toBe(400)
  })

  it('in an audience of its own stays there', async () => {
    const email = newAddress()
    const made = await clubs.auth.auth.admin.createUser({
      email,
      emailConfirm: true,
      audience: 'elsewhere',
    } as never)
    expect((await join(email)).aud).toBe(made.audience)
  })

  it('S11: is confirmed by phone only: its unconfirmed email becomes that of a new account', async () => {
    const email = newAddress()
    const number = '491550012345'
    const { id } = await clubs.auth.auth.admin.createUser({
      phone: number,
      phoneConfirm: true,
      email,
    })
    const user = await clubs.userOf(await clubs.come({ emails: [proved(email)] }))
    expect([user.id === id, user.email, user.phone]).toEqual([false, email, ''])
    expect(await clubs.auth.auth.admin.getUser(id)).toMatchObject({
      email: null,
      phone: number,
      newEmail: email,
    })
  })

  it('T31: has a second factor, and the session has not proved it', async () => {
    const factors = secondFactors(clubs.auth)
    const { user } = await factors.aal2Session(newAddress())
    const arrived = await clubs.come({ emails: [proved(user.email ?? '')] })
    const token = arrived.fragment['access_token'] ?? ''
    const claims = await clubs.auth.auth.verifyToken(token)
    expect([claims.aal, claims.amr]).toMatchObject(['aal1', [{ method: 'oauth' }]])
    const enrolling = await factors.enroll(token)
    expect(enrolling.body.error_code).toBe('insufficient_aal')
    const { body } = await clubs.auth.get('/user', { token })
    expect(body.factors).toHaveLength(1)
  })

  it('T15: is found only by the spelling of its address', async () => {
    const { id, email } = await clubs.auth.given.user()
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
    const { email } = await clubs.auth.given.user()
    const arrived = await clubs.come({ emails: [proved(spell(email ?? ''))] })
    expect(rejection(arrived)).toEqual(['server_error', 'unexpected_failure'])
  })
})
