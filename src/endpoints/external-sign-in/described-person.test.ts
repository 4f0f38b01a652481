import { describe, expect, it } from 'vitest'
import {
  needsVerification,
  newAddress,
  newSubject,
  proved,
  rejection,
  useClubs,
} from '../../../test/support/clubs.ts'
import { clubSettings } from '../../../test/support/fake-realm.ts'

const clubs = useClubs()

describe('the claims of a provider', () => {
  it('are merged into the metadata of the user, and never into that of the app', async () => {
    const email = newAddress()
    const made = await clubs.auth.auth.admin.createUser({
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
    const user = await clubs.userOf(await clubs.come({ subject, emails: [proved(email)], claims }))
    expect(user).toMatchObject({
      id: made.id,
      email,
      role: 'authenticated',
      app_metadata: { role: 'reader', provider: 'email', providers: ['email', 'club'] },
      user_metadata: { name: 'Theirs', team: 'blue', sub: subject, email, phone_verified: false },
    })
  })

  it('do not verify an address unless they are booleans', async () => {
    const { id, email } = await clubs.auth.given.user()
    for (const isVerified of ['false', 'true', 1, {}]) {
      const emails = [{ address: email ?? '', isVerified: isVerified as boolean }]
      expect(rejection(await clubs.come({ emails }))).toEqual(needsVerification)
    }
    expect((await clubs.auth.auth.admin.getUser(id)).identities).toHaveLength(1)
  })

  it.each<[string, Record<string, unknown>]>([
    ['two hundred kilobytes', { name: 'x'.repeat(200_000) }],
    ['thousands of custom claims', { custom_claims: { groups: Array(3_000).fill('group') } }],
    ['numbers that take more room than they look', { custom_claims: Array(2000).fill(1e300) }],
    ['NUL and half characters', { name: 'a\0b', picture: '\ud800', 'c\0d': 1, nickname: 'ok' }],
    ['names of every object', JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": 1}')],
    ['a few numbers that take more room than they look', { custom_claims: Array(300).fill(1e300) }],
    ['nested deep', { custom_claims: JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`) }],
  ])('do not prevent the sign-in: %s', async (_case, claims) => {
    const subject = newSubject()
    const emails = [proved(newAddress())]
    const user = await clubs.userOf(await clubs.come({ subject, emails, claims }))
    expect(user.user_metadata.sub).toBe(subject)
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false)
    expect((await clubs.userOf(await clubs.come({ subject, emails, claims }))).id).toBe(user.id)
  })

  it('do not prevent a sign-in when the metadata is full', async () => {
    const { id, email } = await clubs.auth.given.user()
    const { maxMetadataBytes } = (await clubs.auth.deps()).config.security
    const room = maxMetadataBytes - Buffer.byteLength(JSON.stringify({ text: '' })) - 30
    await clubs.auth.auth.admin.updateUser(id, { userMetadata: { text: 'x'.repeat(room) } })
    const user = await clubs.userOf(await clubs.come({ emails: [proved(email ?? '')] }))
    expect([user.id, user.user_metadata.text.length]).toEqual([id, room])
  })

  it.each([
    ['no subject', null],
    ['an empty one', ''],
    ['one of another type', 7],
    ['one that is too long', 'x'.repeat(256)],
    ['one with a NUL', 'a\0b'],
    ['S04: zero', '0'],
    ['S04: zero as a UUID', '00000000-0000-0000-0000-000000000000'],
    ['S04: zero as a UUID in braces', '{00000000-0000-0000-0000-000000000000}'],
    ['S04: white space', ' \t'],
    ['S04: null in words', 'null'],
    ['S04: undefined in words', 'undefined'],
  ])('is rejected with %s', async (_case, subject) => {
    const emails = [proved(newAddress())]
    const arrived = await clubs.come({ subject: subject as string, emails })
    expect(rejection(arrived)).toEqual(['server_error', 'unexpected_failure'])
  })
})

describe('mapProfile', () => {
  const withMap = (mapProfile: (profile: never) => unknown) =>
    clubs.start({
      providers: { club: clubSettings(clubs.realm, { mapProfile: mapProfile as never }) },
      externalSignIn: {},
    })

  it('determines the profile by its result only', async () => {
    const email = newAddress()
    const on = await withMap(() => ({
      subject: 'mapped',
      emails: [{ address: email, isVerified: true }],
      claims: { name: 'Mapped' },
    }))
    const user = await clubs.userOf(await clubs.come({ on, emails: [proved(newAddress())] }), on)
    expect(user).toMatchObject({ email, identities: [{ id: 'mapped' }] })
  })

  it('may be nested deeper than any stack', async () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const on = await withMap((profile: object) => ({ ...profile, claims: { custom_claims: deep } }))
    const email = newAddress()
    expect((await clubs.userOf(await clubs.come({ on, emails: [proved(email)] }), on)).email).toBe(
      email,
    )
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
  ])('that %s rejects the sign-in, without details', async (_case, map) => {
    const on = await withMap(map)
    const arrived = await clubs.come({ on, emails: [proved(newAddress())] })
    expect(rejection(arrived)).toEqual(['server_error', 'unexpected_failure'])
    expect(arrived.location.href).not.toContain('secret')
    expect(await on.rows('select 1 from auth.users')).toEqual([])
  })
})
