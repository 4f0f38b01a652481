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
import type { MessagingAuth } from '../../../test/support/messages.ts'
import { withoutAutoconfirm } from '../../../test/support/test-auth.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'

const clubs = useClubs()

describe('the confirmation step', () => {
  it('A: with autoconfirm an unknown address needs no confirmation', async () => {
    const on = await clubs.start({ email: { autoconfirm: true } })
    const email = newAddress()
    const user = await clubs.userOf(await clubs.come({ on, emails: [unproved(email)] }), on)
    expect(user).toMatchObject({ email, email_confirmed_at: expect.any(String) })
    expect(user.identities[0].identity_data.email_verified).toBe(false)
  })

  it('T11: with autoconfirm an unverified address still finds no account', async () => {
    const on = await clubs.start({ email: { autoconfirm: true } })
    const { id, email } = await on.given.user()
    const arrived = await clubs.come({ on, emails: [unproved(email ?? '')] })
    expect(rejection(arrived)).toEqual(needsVerification)
    const identities = await on.rows<{ provider: string }>(
      'select provider from auth.identities where user_id = $1',
      [id],
    )
    expect(identities).toEqual([{ provider: 'email' }])
  })

  it('B: sends another mail, but no sooner than the interval allows', async () => {
    const on = await clubs.start({
      email: { ...withoutAutoconfirm.email, maxFrequencySeconds: 900 },
    })
    const subject = newSubject()
    const email = newAddress()
    const again = () => clubs.come({ on, subject, emails: [unproved(email)] })
    expect(rejection(await again())).toEqual(needsVerification)
    expect(rejection(await again())).toEqual(['server_error', 'over_email_send_rate_limit'])
    expect(await on.messagesTo(email)).toHaveLength(1)
    on.clock.advance(900)
    expect(rejection(await again())).toEqual(needsVerification)
    expect(await on.messagesTo(email)).toHaveLength(2)
  })

  it('C: is rejected each time without an address, and creates one user', async () => {
    const { email } = await clubs.auth.given.user()
    const subject = newSubject()
    for (let tries = 0; tries < 3; tries++) {
      await clubs.come({ subject, emails: [unproved(email ?? '')] })
    }
    const identities = await clubs.auth.rows('select 1 from auth.identities where subject = $1', [
      subject,
    ])
    expect(identities).toHaveLength(1)
  })

  it('B: is skipped where unverified sign-ins are allowed, and the mail is sent', async () => {
    const on = await clubs.start({
      email: {
        ...withoutAutoconfirm.email,
        allowUnverifiedSignIns: true,
        maxFrequencySeconds: 900,
      },
    })
    const subject = newSubject()
    const email = newAddress()
    const user = await clubs.userOf(
      await clubs.come({ on, subject, emails: [unproved(email)] }),
      on,
    )
    expect(user.email).toBe(email)
    expect(user.email_confirmed_at ?? null).toBeNull()
    expect(await on.messagesTo(email)).toHaveLength(1)
    const again = await clubs.userOf(
      await clubs.come({ on, subject, emails: [unproved(email)] }),
      on,
    )
    expect(again.id).toBe(user.id)
    expect(await on.messagesTo(email)).toHaveLength(1)
  })

  it('T11: allowed unverified sign-ins do not find an account either', async () => {
    const on = await clubs.start({
      email: { ...withoutAutoconfirm.email, allowUnverifiedSignIns: true },
    })
    const { id, email } = await on.given.user()
    const user = await clubs.userOf(await clubs.come({ on, emails: [unproved(email ?? '')] }), on)
    expect([user.id === id, user.email]).toEqual([false, ''])
  })

  it('is rejected at start: autoconfirm with allowed unverified sign-ins', async () => {
    const both = clubs.start({ email: { autoconfirm: true, allowUnverifiedSignIns: true } })
    await expect(both).rejects.toThrow(/allowUnverifiedSignIns/)
  })

  it('D: an optional address may be missing', async () => {
    const subject = newSubject()
    const user = await clubs.userOf(await clubs.come({ subject, provider: 'optional', emails: [] }))
    expect(user.email).toBe('')
    expect(
      (await clubs.userOf(await clubs.come({ subject, provider: 'optional', emails: [] }))).id,
    ).toBe(user.id)
  })

  it('D: an optional address of the account must be confirmed', async () => {
    const arrived = await clubs.come({ provider: 'optional', emails: [unproved(newAddress())] })
    expect(rejection(arrived)).toEqual(needsVerification)
  })

  it('C: an optional address of another user is left out, and the user signs in', async () => {
    const { id, email } = await clubs.auth.given.user()
    const user = await clubs.userOf(
      await clubs.come({ provider: 'optional', emails: [unproved(email ?? '')] }),
    )
    expect([user.id === id, user.email]).toEqual([false, ''])
  })

  it('D: a user with a confirmed phone signs in with a known identity', async () => {
    const subject = newSubject()
    const { id } = await clubs.userOf(
      await clubs.come({ subject, provider: 'optional', emails: [] }),
    )
    const number = '491560012345'
    await clubs.auth.auth.admin.updateUser(id, { phone: number, phoneConfirm: true })
    // The state after a user with a phone linked an identity.
    await clubs.auth.rows(`update auth.identities set provider = 'club' where subject = $1`, [
      subject,
    ])
    for (const emails of [[proved(newAddress())], [unproved(newAddress())]]) {
      expect((await clubs.userOf(await clubs.come({ subject, emails }))).id).toBe(id)
    }
  })
})

describe('a user that submits the address of another one at a provider', () => {
  /**
   * Returns the responses to two sign-ins, one after the other: first with the address of a user,
   * then with an unknown one.
   */
  async function answersOf(on: MessagingAuth, domain = 'example.test') {
    const { email: taken } = await on.given.user(`${newSubject()}@${domain}`)
    const answers = []
    for (const email of [taken ?? '', `${newSubject()}@${domain}`]) {
      const subject = newSubject()
      const come = async () =>
        rejection(await clubs.come({ on, subject, emails: [unproved(email)] }))
      answers.push([await come(), await come()])
    }
    return answers
  }

  it('does not learn from the send interval whether it is confirmed', async () => {
    const on = await clubs.start({
      email: { ...withoutAutoconfirm.email, maxFrequencySeconds: 900 },
    })
    const limited = [needsVerification, ['server_error', 'over_email_send_rate_limit']]
    expect(await answersOf(on)).toEqual([limited, limited])
  })

  it('does not learn from the checks of addresses whether it is confirmed', async () => {
    const validation = { blockedDomains: ['blocked.test'] }
    const on = await clubs.start({ email: { ...withoutAutoconfirm.email, validation } })
    const blocked = ['invalid_request', 'email_address_invalid']
    expect(await answersOf(on, 'blocked.test')).toEqual([
      [blocked, blocked],
      [blocked, blocked],
    ])
  })

  it('does not learn from a hook whether it is confirmed', async () => {
    const received: unknown[] = []
    const on = await clubs.start({
      hooks: {
        beforeUserCreated: ({ user: { email, app_metadata, user_metadata } }) => {
          if (app_metadata['provider'] === 'email') return
          received.push([email.replace(/.*@/, ''), user_metadata['email_verified']])
          if (!email.endsWith('@colleagues.test')) return
          throw new AuthError('signup_disabled', 403, 'Only people from elsewhere')
        },
      },
    })
    const refused = ['access_denied', 'signup_disabled']
    expect(await answersOf(on, 'colleagues.test')).toEqual([
      [refused, refused],
      [refused, refused],
    ])
    expect(received).toEqual(Array(4).fill(['colleagues.test', false]))
  })
})
