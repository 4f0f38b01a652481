import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { type Answer, testPassword } from '../../../test/support/test-auth.ts'

let auth: MessagingAuth
let token: string

beforeAll(async () => {
  auth = await startMessagingAuth({
    email: { autoconfirm: false, maxFrequencySeconds: 0, authorizedAddresses: [] },
  })
  token = await auth.given.serviceToken()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `linked-${++made}@example.test`
const generate = (body: object) => auth.post('/admin/generate_link', body, { token })
const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]
const verify = (body: object) => auth.post('/verify', body)

const known = async () => (await auth.given.user(newEmail())).email ?? ''

/** Follows the link that was returned. */
const follow = async ({ body }: Answer) => {
  const { pathname, search } = new URL(body.action_link)
  const answer = await auth.get(pathname + search)
  return new URLSearchParams(new URL(answer.headers.get('location') ?? '').hash.slice(1))
}

const requests: [string, () => Promise<object>][] = [
  ['signup', async () => ({ email: newEmail(), password: testPassword })],
  ['invite', async () => ({ email: newEmail() })],
  ['magiclink', async () => ({ email: await known() })],
  ['recovery', async () => ({ email: await known() })],
]

describe.each(requests)('a link for %s', (type, make) => {
  it('has three forms, each of which signs in', async () => {
    const given = [await make(), await make(), await make()]
    const links = await Promise.all(given.map((one) => generate({ type, ...one })))
    const [one, two, three] = links.map(({ body }) => body)

    const byLink = await follow(links[0] as Answer)
    const byHash = await verify({ type, token_hash: two.hashed_token })
    const byCode = await verify({ type, token: three.email_otp, email: three.email })

    expect(links.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(one.verification_type).toBe(type)
    expect(new URL(one.action_link).searchParams.get('token')).toBe(one.hashed_token)
    expect(byLink.get('type')).toBe(type)
    expect([byHash.body.user.id, byCode.body.user.id]).toEqual([two.id, three.id])
  })

  it('is returned, and mailed only on request', async () => {
    const [quiet, loud] = [await make(), await make()] as { email: string }[]

    await generate({ type, ...quiet })
    const { body } = await generate({ type, ...loud, send_email: true })

    expect(await auth.messagesTo(quiet?.email ?? '')).toEqual([])
    expect(await auth.messageTo(loud?.email ?? '')).toMatchObject({
      type,
      hash: body.hashed_token,
      code: body.email_otp,
    })
  })

  it('replaces an earlier one', async () => {
    const given = await make()
    const first = await generate({ type, ...given })
    await generate({ type, ...given })

    expect((await follow(first)).get('error_code')).toBe('otp_expired')
  })

  it('leads to the operator’s redirect target, if that is permitted', async () => {
    const good = 'https://app.example.test/welcome'

    const inBody = await generate({ type, ...(await make()), redirect_to: good })
    const evil = await generate({ type, ...(await make()), redirect_to: 'https://evil.test' })

    expect(inBody.body.redirect_to).toBe(good)
    expect(new URL(inBody.body.action_link).searchParams.get('redirect_to')).toBe(good)
    expect(evil.body.redirect_to).toBe('https://app.example.test')
  })
})

describe('the user of the link', () => {
  it('is created by a sign-up, with metadata and password', async () => {
    const email = newEmail()

    const { body } = await generate({
      type: 'signup',
      email,
      password: testPassword,
      data: { name: 'Ada' },
    })
    const { body: proved } = await verify({ type: 'signup', token_hash: body.hashed_token })

    expect(body.user_metadata).toEqual({ name: 'Ada' })
    expect(proved.user.user_metadata).toEqual({ name: 'Ada', email_verified: true })
    expect(proved.user.identities[0].identity_data).toMatchObject({ sub: body.id, email })
    const { session } = await auth.auth.api.signInWithPassword({ email, password: testPassword })
    expect(session.accessToken).toBeTruthy()
  })

  it.each([
    ['a new address', async () => {}],
    [
      'one that a visitor signed up with',
      (email: string) => auth.post('/signup', { email, password: 'of a visitor' }),
    ],
  ])('keeps metadata of an operator without a confirmation, for %s', async (_case, before) => {
    const email = newEmail()
    await before(email)
    const data = { plan: 'gold' }
    const { body } = await generate({ type: 'signup', email, password: testPassword, data })

    const made = await auth.post('/admin/users', { email, email_confirm: true }, { token })
    const link = await generate({ type: 'signup', email })
    await verify({ type: 'signup', token_hash: link.body.hashed_token })

    expect(statusAndCode(made)).toEqual([422, 'email_exists'])
    const { userMetadata } = await auth.auth.admin.getUser(body.id)
    expect(userMetadata).toMatchObject({ plan: 'gold' })
  })

  it('is reclaimable without data of an operator', async () => {
    const email = newEmail()
    await generate({ type: 'signup', email, password: testPassword })

    expect((await auth.post('/admin/users', { email }, { token })).status).toBe(200)
  })

  it('is created by a magic link, whose type becomes sign-up', async () => {
    const { status, body } = await generate({ type: 'magiclink', email: newEmail() })

    expect([status, body.verification_type]).toEqual([200, 'signup'])
    expect(new URL(body.action_link).searchParams.get('type')).toBe('signup')
  })

  it.each(['recovery', 'email_change_new', 'email_change_current'])(
    'must exist for %s',
    async (type) => {
      const answer = await generate({ type, email: newEmail(), new_email: newEmail() })

      expect(statusAndCode(answer)).toEqual([404, 'user_not_found'])
    },
  )

  it.each(['signup', 'invite'])('is rejected for %s when the address exists', async (type) => {
    const email = await known()

    expect(statusAndCode(await generate({ type, email, password: testPassword }))).toEqual([
      422,
      'email_exists',
    ])
  })

  it.each(['signup', 'invite', 'magiclink'])(
    'is rejected for %s when the address exists in another audience',
    async (type) => {
      const email = await known()

      const answer = await auth.post(
        '/admin/generate_link',
        { type, email, password: testPassword },
        { token, headers: { 'x-jwt-aud': 'elsewhere' } },
      )

      expect(statusAndCode(answer)).toEqual([422, 'email_exists'])
    },
  )

  it('signs in a user of the stated audience', async () => {
    const email = newEmail()
    await auth.auth.admin.createUser({ email, emailConfirm: true, audience: 'elsewhere' })
    const other = await generate({ type: 'recovery', email })
    const own = await generate({ type: 'recovery', email, aud: 'elsewhere' })

    expect(statusAndCode(other)).toEqual([404, 'user_not_found'])
    expect(own.body).toMatchObject({ email, aud: 'elsewhere' })
    expect((await follow(own)).has('access_token')).toBe(true)
  })

  it('gets one link of many concurrent ones', async () => {
    const email = newEmail()

    const links = await Promise.all(
      Array.from({ length: 8 }, () => generate({ type: 'magiclink', email })),
    )
    const followed = await Promise.all(links.map(follow))

    expect(links.map(({ status }) => status)).toEqual(links.map(() => 200))
    expect(followed.filter((fragment) => fragment.has('access_token'))).toHaveLength(1)
  })
})

describe('a link for a change of email', () => {
  it('is one of two, which complement each other', async () => {
    const [email, wanted] = [await known(), newEmail()]
    const current = await generate({ type: 'email_change_current', email, new_email: wanted })
    const fresh = await generate({ type: 'email_change_new', email, new_email: wanted })

    const first = await follow(current)
    const second = await follow(fresh)

    expect([current.body.verification_type, fresh.body.verification_type]).toEqual([
      'email_change_current',
      'email_change_new',
    ])
    expect(first.get('message')).toContain('other email')
    expect(second.get('type')).toBe('email_change')
  })

  it('is also returned in other valid forms', async () => {
    const [email, wanted] = [await known(), newEmail()]
    const fresh = await generate({ type: 'email_change_new', email, new_email: wanted })
    const current = await generate({ type: 'email_change_current', email, new_email: wanted })

    const first = await verify({ type: 'email_change', token_hash: fresh.body.hashed_token })
    const code = { type: 'email_change', token: current.body.email_otp, email }
    const second = await verify(code)

    expect(first.body.code).toBe('200')
    expect(second.body.user.email).toBe(wanted)
  })

  it('T06: revokes the confirmation of another address', async () => {
    const [email, first, second] = [await known(), newEmail(), newEmail()]
    const yes = await generate({ type: 'email_change_current', email, new_email: first })
    await generate({ type: 'email_change_new', email, new_email: second })

    expect((await follow(yes)).get('error_code')).toBe('otp_expired')
  })

  it('is mailed to the address that it confirms, on request', async () => {
    const [email, wanted] = [await known(), newEmail()]
    const change = { email, new_email: wanted, send_email: true }
    const fresh = await generate({ type: 'email_change_new', ...change })
    const current = await generate({ type: 'email_change_current', ...change })
    await (await auth.deps()).outbox.settled()

    const sent = await auth.rows<{ recipient: string }>(
      `select recipient from auth.outbox_messages where kind = 'emailChange'`,
    )
    expect([fresh.status, current.status]).toEqual([200, 200])
    expect(sent).toHaveLength(2)
    expect(sent.map(({ recipient }) => recipient)).toEqual(expect.arrayContaining([wanted, email]))
  })

  it('is rejected for a current address that need not confirm the change', async () => {
    const { email } = await auth.auth.admin.createUser({ email: newEmail() })
    const change = { type: 'email_change_current', email, new_email: newEmail() }

    const { status, body } = await generate(change)

    expect([status, body.error_code, body.msg]).toEqual([
      400,
      'validation_failed',
      'type: The new address alone confirms the change of this user',
    ])
    expect((await generate({ ...change, type: 'email_change_new' })).status).toBe(200)
  })

  it('is rejected for an address of another user', async () => {
    const answer = await generate({
      type: 'email_change_new',
      email: await known(),
      new_email: await known(),
    })

    expect(statusAndCode(answer)).toEqual([422, 'email_exists'])
  })
})

describe('checks of a request', () => {
  it.each([
    [{ type: 'signup', password: testPassword }, 'email: '],
    [{ type: 'nonsense', email: 'a@b.test' }, 'type: '],
    [{ email: 'a@b.test' }, 'type: '],
    [{ type: 'signup', email: 'a@b.test' }, 'password: '],
    [{ type: 'email_change_new', email: 'a@b.test' }, 'new_email: '],
  ])('%j', async (body, field) => {
    const answer = await generate(body)

    expect(statusAndCode(answer)).toEqual([400, 'validation_failed'])
    expect(answer.body.msg).toContain(field)
  })

  it('a weak password', async () => {
    const answer = await generate({ type: 'signup', email: newEmail(), password: 'abc' })

    expect(statusAndCode(answer)).toEqual([422, 'weak_password'])
  })

  it('a mail to an address that the operator does not serve; a link is returned', async () => {
    const strict = await startMessagingAuth({ email: { authorizedAddresses: ['a@b.test'] } })
    const bearer = { token: await strict.given.serviceToken() }
    const link = { type: 'invite', email: newEmail() }

    const answers = [
      await strict.post('/admin/generate_link', { ...link, send_email: true }, bearer),
      await strict.post('/admin/generate_link', link, bearer),
    ]
    await strict.close()

    expect(answers.map(statusAndCode)).toEqual([
      [400, 'email_address_not_authorized'],
      [200, undefined],
    ])
  })

  it('rejects callers that are not operators', async () => {
    const { accessToken } = await auth.given.session(newEmail())
    const body = { type: 'recovery', email: newEmail() }

    const answers = [
      await auth.post('/admin/generate_link', body),
      await auth.post('/admin/generate_link', body, { token: accessToken }),
    ]

    expect(answers.map(statusAndCode)).toEqual([
      [401, 'no_authorization'],
      [403, 'not_admin'],
    ])
  })
})
