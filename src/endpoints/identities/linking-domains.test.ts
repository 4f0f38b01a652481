import { beforeAll, describe, expect, it } from 'vitest'
import {
  needsVerification,
  newAddress,
  newSubject,
  proved,
  rejection,
  unproved,
  useClubs,
} from '../../../test/support/clubs.ts'
import { pressed } from '../../../test/support/confirmation-page.ts'
import {
  callbackPathFor,
  clubMember,
  noteCallbackPath,
  openBrowser,
  redirectOf,
} from '../../../test/support/fake-realm.ts'
import type { MessagingAuth } from '../../../test/support/messages.ts'
import { testPassword } from '../../../test/support/test-auth.ts'

const clubs = useClubs()
let auth: MessagingAuth

beforeAll(async () => {
  auth = await clubs.start({
    security: { manualLinkingEnabled: true },
    anonymousUsers: { enabled: true },
    email: { maxFrequencySeconds: 0 },
  })
})

const userOf = async (token: string | undefined) => (await auth.get('/user', { token })).body

/** An account of Eve's without an email address. */
const accountOf: Record<string, () => Promise<string>> = {
  anonymous: async () => (await auth.auth.api.signInAnonymously({})).session.accessToken,
  'with a phone': async () => {
    const phone = `4915560${String(Math.random()).slice(2, 8)}`
    await auth.auth.admin.createUser({ phone, password: testPassword, phoneConfirm: true })
    const signedIn = await auth.auth.api.signInWithPassword({ phone, password: testPassword })
    return signedIn.session.accessToken
  },
}

async function link(
  token: string,
  emails: Parameters<typeof clubMember>[1],
  { provider = 'staff', subject = newSubject() } = {},
) {
  const query = new URLSearchParams({ provider, skip_http_redirect: 'true' })
  const { body } = await auth.get(`/user/identities/authorize?${query}`, { token })
  const state = noteCallbackPath(body.url)
  const code = clubs.realm.codeFor(clubMember(subject, emails))
  const [browser, path] = [openBrowser(auth), callbackPathFor(state)]
  const page = await browser.get(`${path}?${new URLSearchParams({ state, code })}`)
  return redirectOf(await pressed(browser, path, page))
}

/** The account of the owner of the address, by a provider of the default domain. */
const idOfOwner = async (email: string) =>
  (await clubs.userOf(await clubs.come({ on: auth, emails: [proved(email)] }), auth)).id

describe.each(Object.keys(accountOf))(
  'S08: an address of another linking domain, linked to an account %s',
  (kind) => {
    it.each(['staff', 'partners'])('is not confirmed by its provider: %s', async (provider) => {
      const token = (await accountOf[kind]?.()) ?? ''
      const { id } = await userOf(token)
      const email = newAddress()
      const { query } = await link(token, [proved(email)], { provider })

      expect(query['error_code']).toBe('email_not_confirmed')
      expect(await userOf(token)).toMatchObject({ email: '', new_email: email })
      expect(await idOfOwner(email)).not.toBe(id)
    })

    it('is confirmed by its mail', async () => {
      const token = (await accountOf[kind]?.()) ?? ''
      const { id } = await userOf(token)
      const email = newAddress()
      await link(token, [proved(email)])
      const { fragment } = await auth.follow(await auth.messageTo(email))

      const user = await userOf(fragment.get('access_token') ?? '')
      expect(user).toMatchObject({ id, email, email_confirmed_at: expect.any(String) })
      expect(await idOfOwner(email)).toBe(id)
    })

    it('is not confirmed by a later sign-in', async () => {
      const token = (await accountOf[kind]?.()) ?? ''
      const { id } = await userOf(token)
      const [email, subject] = [newAddress(), newSubject()]
      await link(token, [unproved(email)], { subject })
      const emails = [proved(email)]
      const led = await clubs.come({ on: auth, provider: 'staff', emails, subject })

      if (kind === 'anonymous') expect(rejection(led)).toEqual(needsVerification)
      expect((await auth.auth.admin.getUser(id)).email).toBeNull()
      expect(await idOfOwner(email)).not.toBe(id)
    })
  },
)

describe('S08: an address of another linking domain', () => {
  it('does not replace the address of an unlinked identity', async () => {
    const { accessToken } = await auth.given.session()
    const email = newAddress()
    const { fragment } = await link(accessToken, [proved(email)])
    const token = fragment['access_token']
    const before = await userOf(token)
    const own = before.identities.find((one: { provider: string }) => one.provider === 'email')
    const path = `/user/identities/${own.identity_id}`
    const { status, body } = await auth.request('DELETE', path, { token: token ?? '' })

    expect([status, body.error_code]).toEqual([422, 'email_conflict_identity_not_deletable'])
    expect(await userOf(token)).toMatchObject({ email: before.email })
    expect(await idOfOwner(email)).not.toBe(before.id)
  })

  it('does not confirm the same unconfirmed address of an account outside it', async () => {
    const unverified = await clubs.start({
      security: { manualLinkingEnabled: true },
      email: { allowUnverifiedSignIns: true },
    })
    const [email, subject] = [newAddress(), newSubject()]
    const { body } = await unverified.post('/signup', { email, password: testPassword })
    await unverified.rows(
      `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
        values (gen_random_uuid(), $1, 'staff', $2, $3, now(), now())`,
      [body.user?.id ?? body.id, subject, { sub: subject, email, email_verified: true }],
    )
    await clubs.come({ on: unverified, provider: 'staff', emails: [proved(email)], subject })

    const rows = await unverified.rows(
      'select email_confirmed_at from auth.users where email = $1',
      [email],
    )
    expect(rows).toEqual([{ email_confirmed_at: null }])
  })

  it('belongs to an account inside it, as before', async () => {
    const [email, subject] = [newAddress(), newSubject()]
    const coming = { on: auth, provider: 'staff', subject }
    const first = await clubs.userOf(await clubs.come({ ...coming, emails: [proved(email)] }), auth)
    expect(first).toMatchObject({ email, email_confirmed_at: expect.any(String) })
    expect(await idOfOwner(email)).not.toBe(first.id)
  })
})
