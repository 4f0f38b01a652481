import type { GenerateLinkParams } from '@supabase/auth-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessageServer, startMessageServer } from './support/message-server.ts'

// The unmodified client of an operator: invitations, and links without a mail.

const password = 'correct horse 1'
const home = 'https://app.example.test/welcome'

let server: MessageServer
let people = 0

const newEmail = () => `guest${++people}@example.test`

beforeAll(async () => {
  server = await startMessageServer()
})
afterAll(() => server?.close())

async function givenUser(): Promise<string> {
  const email = newEmail()
  const { error } = await server.operator().createUser({ email, password, email_confirm: true })
  if (error) throw error
  return email
}

const ok = { error: null }
const rejection = (code: string, status: number) => ({ error: { code, status } })

describe('inviteUserByEmail', () => {
  it('mails a link that signs in the invited user, who sets a password then', async () => {
    const email = newEmail()

    const invited = await server
      .operator()
      .inviteUserByEmail(email, { redirectTo: home, data: { team: 'x' } })
    const { link } = await server.mailTo(email)
    const { client, session, error, url } = await server.land(link)
    const changed = await client.updateUser({ password })

    expect(invited).toMatchObject({
      ...ok,
      data: { user: { email, user_metadata: { team: 'x' } } },
    })
    expect(invited.data.user?.invited_at).toEqual(expect.any(String))
    expect([error, session?.user.id]).toEqual([null, invited.data.user?.id])
    expect(url.replace(/#$/, '')).toBe(home)
    expect(changed.error).toBeNull()
    expect((await server.client().signInWithPassword({ email, password })).error).toBeNull()
  })

  it.each(['token', 'token_hash'] as const)('mails a %s that verifyOtp accepts', async (proof) => {
    const email = newEmail()
    await server.operator().inviteUserByEmail(email)
    const { code, tokenHash } = await server.mailTo(email)

    const { data, error } = await server
      .client()
      .verifyOtp(
        proof === 'token'
          ? { type: 'invite', email, token: code ?? '' }
          : { type: 'invite', token_hash: tokenHash },
      )

    expect([error, data.session?.user.email]).toEqual([null, email])
  })

  it('repeats an invitation that was not accepted, and no other', async () => {
    const email = newEmail()
    const first = await server.operator().inviteUserByEmail(email)
    const earlier = await server.mailTo(email)

    const second = await server.operator().inviteUserByEmail(email)
    const later = await server.mailTo(email)
    const byEarlier = await server.land(earlier.link)
    const byLater = await server.land(later.link)
    const third = await server.operator().inviteUserByEmail(email)

    expect(second.data.user?.id).toBe(first.data.user?.id)
    expect(byEarlier).toMatchObject({ session: null, error: { details: { code: 'otp_expired' } } })
    expect(byLater).toMatchObject({ error: null, session: { user: { email } } })
    expect(third).toMatchObject(rejection('email_exists', 422))
  })

  it('is rejected for users and unauthenticated clients', async () => {
    const { data } = await server
      .client()
      .signInWithPassword({ email: await givenUser(), password })
    const user = server.client({ token: data.session?.access_token ?? '' })

    const byUser = await user.admin.inviteUserByEmail(newEmail())
    const byUnknown = await server.client().admin.inviteUserByEmail(newEmail())

    expect(byUser).toMatchObject(rejection('not_admin', 403))
    expect(byUnknown).toMatchObject(rejection('no_authorization', 401))
  })
})

describe('generateLink', () => {
  type Make = (email: string) => GenerateLinkParams
  const options = { redirectTo: home, data: { made: true } }
  const { redirectTo } = options
  const types: [type: GenerateLinkParams['type'], make: Make, someone: () => Promise<string>][] = [
    ['signup', (email) => ({ type: 'signup', email, password, options }), async () => newEmail()],
    ['invite', (email) => ({ type: 'invite', email, options }), async () => newEmail()],
    ['magiclink', (email) => ({ type: 'magiclink', email, options: { redirectTo } }), givenUser],
    ['recovery', (email) => ({ type: 'recovery', email, options: { redirectTo } }), givenUser],
  ]

  it.each(types)(
    'creates one of type %s that signs in, without a mail',
    async (type, make, someone) => {
      const email = await someone()

      const { data, error } = await server.operator().generateLink(make(email))
      const { session, url } = await server.land(data.properties?.action_link ?? '')

      expect(error).toBeNull()
      expect(data).toMatchObject({
        user: { email },
        properties: { verification_type: type, redirect_to: home },
      })
      expect(session?.user.id).toBe(data.user?.id)
      expect(url.replace(/#$/, '')).toBe(home)
      const guest = newEmail()
      await server.operator().inviteUserByEmail(guest)
      await server.mailTo(guest)
      expect(server.countMailsTo(email)).toBe(0)
    },
  )

  it.each(types)(
    'creates parts of one of type %s that verifyOtp accepts',
    async (_, make, someone) => {
      for (const proof of ['code', 'secret'] as const) {
        const email = await someone()
        const { data: made } = await server.operator().generateLink(make(email))
        const { email_otp: token = '', hashed_token = '' } = made.properties ?? {}
        const type = made.properties?.verification_type as 'signup'

        const { data, error } = await server
          .client()
          .verifyOtp(proof === 'code' ? { type, email, token } : { type, token_hash: hashed_token })

        expect([error, data.session?.user.email]).toEqual([null, email])
      }
    },
  )

  it('of type signup creates a user with metadata and password', async () => {
    const email = newEmail()

    const { data } = await server
      .operator()
      .generateLink({ type: 'signup', email, password, options })
    const early = await server.client().signInWithPassword({ email, password })
    await server.follow(data.properties?.action_link ?? '')
    const signIn = await server.client().signInWithPassword({ email, password })

    expect(data.user?.user_metadata).toMatchObject({ made: true })
    expect(early).toMatchObject(rejection('email_not_confirmed', 400))
    expect(signIn.error).toBeNull()
  })

  it('of type magiclink creates a sign-up for an unknown address', async () => {
    const email = newEmail()

    const { data } = await server.operator().generateLink({ type: 'magiclink', email })
    const { session } = await server.land(data.properties?.action_link ?? '')

    expect(data.properties?.verification_type).toBe('signup')
    expect(session?.user.email).toBe(email)
  })

  it('changes an email with a link for each of both addresses', async () => {
    const email = await givenUser()
    const newEmailOfUser = newEmail()
    const change = { email, newEmail: newEmailOfUser }

    const atNew = await server.operator().generateLink({ type: 'email_change_new', ...change })
    const atOld = await server.operator().generateLink({ type: 'email_change_current', ...change })
    const halfway = await server.follow(atOld.data.properties?.action_link ?? '')
    const { session } = await server.land(atNew.data.properties?.action_link ?? '')

    expect(atNew.data).toMatchObject({
      user: { email, new_email: newEmailOfUser },
      properties: { verification_type: 'email_change_new' },
    })
    expect(new URL(halfway).hash).toContain('message=')
    expect(session?.user.email).toBe(newEmailOfUser)
  })

  it('of a change contains parts that verifyOtp accepts as email_change', async () => {
    const email = await givenUser()
    const next = newEmail()
    const change = { email, newEmail: next }
    const client = server.client()

    const atNew = await server.operator().generateLink({ type: 'email_change_new', ...change })
    const atOld = await server.operator().generateLink({ type: 'email_change_current', ...change })
    const first = await client.verifyOtp({
      type: 'email_change',
      email,
      token: atOld.data.properties?.email_otp ?? '',
    })
    const second = await client.verifyOtp({
      type: 'email_change',
      token_hash: atNew.data.properties?.hashed_token ?? '',
    })

    expect(first).toMatchObject({ ...ok, data: { session: null } })
    expect(second).toMatchObject({ ...ok, data: { session: { user: { email: next } } } })
  })

  it('sends no mail, so no limit applies, and a later link invalidates an earlier one', async () => {
    const email = await givenUser()
    const make = () => server.operator().generateLink({ type: 'recovery', email })

    const earlier = (await make()).data.properties?.action_link ?? ''
    const later = (await make()).data.properties?.action_link ?? ''

    const byEarlier = await server.land(earlier)
    expect(byEarlier).toMatchObject({ session: null, error: { details: { code: 'otp_expired' } } })
    expect((await server.land(later)).session?.user.email).toBe(email)
  })

  it('returns errors for unsupported input', async () => {
    const generateLink = (wanted: GenerateLinkParams) => server.operator().generateLink(wanted)
    const known = await givenUser()

    const answers: [string, number, Awaited<ReturnType<typeof generateLink>>][] = [
      ['user_not_found', 404, await generateLink({ type: 'recovery', email: newEmail() })],
      ['email_exists', 422, await generateLink({ type: 'invite', email: known })],
      ['email_exists', 422, await generateLink({ type: 'signup', email: known, password })],
      [
        'weak_password',
        422,
        await generateLink({ type: 'signup', email: newEmail(), password: 'abc' }),
      ],
      ['validation_failed', 400, await generateLink({ type: 'recovery', email: 'no address' })],
      [
        'email_exists',
        422,
        await generateLink({ type: 'email_change_new', email: known, newEmail: await givenUser() }),
      ],
    ]

    for (const [code, status, answer] of answers) {
      expect(answer).toMatchObject({ ...rejection(code, status), data: { properties: null } })
    }
  })

  it('is rejected for users', async () => {
    const email = await givenUser()
    const { data } = await server.client().signInWithPassword({ email, password })
    const { admin } = server.client({ token: data.session?.access_token ?? '' })

    const answer = await admin.generateLink({ type: 'recovery', email })

    expect(answer).toMatchObject(rejection('not_admin', 403))
  })
})
