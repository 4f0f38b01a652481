import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator } from '../../../test/support/authenticator.ts'
import { type Passkeys, type PasskeyUser, passkeysOf } from '../../../test/support/passkeys.ts'
import {
  claimsIn,
  type EnrolledApp,
  type SecondFactors,
  secondFactors,
  statusAndCode,
} from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

// A passkey is a first factor, also with user verification: a second one is required as after any
// other sign-in.

let auth: TestAuth
let passkeys: Passkeys
let factors: SecondFactors

beforeAll(async () => {
  auth = await startTestAuth({ passkeys: { enabled: true } })
  passkeys = passkeysOf(auth)
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

/** Creates a user with a passkey, and an app as a second factor. */
async function holderWithApp(): Promise<PasskeyUser & { app: EnrolledApp }> {
  const holder = await passkeys.holder()
  const app = await factors.enrolledApp(holder.accessToken)
  await factors.prove(holder.accessToken, app)
  auth.clock.advance(30)
  return { ...holder, app }
}

const signIn = async ({ authenticator }: PasskeyUser) => (await passkeys.signIn(authenticator)).body

/** Sends requests that require a session at `aal2`. */
async function addKey(token: string, { app, id, user }: PasskeyUser & { app: EnrolledApp }) {
  const begun = await passkeys.ask()
  return [
    await auth.put('/user', { password: 'a brand new password' }, { token }),
    await auth.put('/user', { email: `other-${user.id}@example.test` }, { token }),
    await factors.enroll(token),
    await factors.unenroll(token, app.id),
    await passkeys.begin(token),
    await passkeys.finish(token, begun, createAuthenticator().create(creationFor(begun.body))),
    await auth.request('DELETE', `/passkeys/${id}`, { token }),
  ]
}

const creationFor = ({ options }: { options: { challenge: string; rpId: string } }) => ({
  challenge: options.challenge,
  rp: { id: options.rpId },
  user: { id: 'AA' },
})

describe('a sign-in by passkey', () => {
  it('T31: does not permit a request that requires the second factor of the user', async () => {
    const holder = await holderWithApp()
    const { access_token: token, refresh_token: refreshToken } = await signIn(holder)
    const { body: renewed } = await factors.refresh(refreshToken)

    const answers = [
      ...(await addKey(token, holder)),
      ...(await addKey(renewed.access_token, holder)),
    ]

    for (const answer of answers) expect(answer.body.error_code).toBe('insufficient_aal')
    expect(answers).toHaveLength(14)
    expect(claimsIn(renewed.access_token)).toMatchObject({ aal: 'aal1' })
  })

  it('T30: stays at the level of tokens from before the second factor, also once they were read', async () => {
    const holder = await holderWithApp()
    const { access_token: weak } = await signIn(holder)
    const path = `/passkeys/${holder.id}`
    expect((await auth.get('/user', { token: weak })).status).toBe(200)
    const { body: strong } = await factors.prove(weak, holder.app)

    const before = await auth.request('DELETE', path, { token: weak })
    const after = await auth.request('DELETE', path, { token: strong.access_token })

    expect(statusAndCode(before)).toEqual([403, 'insufficient_aal'])
    expect(after.status).toBe(204)
    expect(claimsIn(strong.access_token)).toMatchObject({ aal: 'aal2' })
    expect(
      claimsIn(strong.access_token)
        .amr?.map(({ method }) => method)
        .sort(),
    ).toEqual(['passkey', 'totp'])
  })

  it('T09: leaves no refresh token from before the second factor that becomes a session at aal2', async () => {
    const holder = await holderWithApp()
    const { access_token: token, refresh_token: weak } = await signIn(holder)
    await factors.prove(token, holder.app)

    const renewed = await factors.refresh(weak)

    expect(renewed.status).toBe(400)
    expect(renewed.body.access_token).toBeUndefined()
  })

  it("T32: creates a session of its own each time, also with another user's token", async () => {
    const holder = await passkeys.holder()
    const other = await auth.given.session()
    const requested = await passkeys.ask()
    const credential = holder.authenticator.get(requested.body.options)

    const { body: first } = await auth.post(
      '/passkeys/authentication/verify',
      { challenge_id: requested.body.challenge_id, credential },
      { token: other.accessToken },
    )
    const second = await signIn(holder)

    const sessions = [
      holder.accessToken,
      other.accessToken,
      first.access_token,
      second.access_token,
    ]
    expect(new Set(sessions.map((token) => claimsIn(token).session_id)).size).toBe(4)
    expect(first.user.id).toBe(holder.user.id)
    expect((await auth.get('/user', { token: other.accessToken })).body.id).toBe(other.user.id)
  })

  it('T08: permits one guess for a challenge, of each ceremony', async () => {
    const holder = await passkeys.holder()
    const requested = await passkeys.ask()
    const begun = await passkeys.begin(holder.accessToken)
    const wrong = holder.authenticator.get(requested.body.options, { forged: true })
    const unverified = createAuthenticator().create(begun.body.options, { userVerified: false })

    const guesses = [
      await passkeys.answer(requested, wrong),
      await passkeys.answer(requested, holder.authenticator.get(requested.body.options)),
      await passkeys.finish(holder.accessToken, begun, unverified),
      await passkeys.finish(
        holder.accessToken,
        begun,
        createAuthenticator().create(begun.body.options),
      ),
    ]

    expect(guesses.map(({ body }) => body.error_code)).toEqual([
      'webauthn_verification_failed',
      'webauthn_challenge_not_found',
      'webauthn_verification_failed',
      'webauthn_challenge_not_found',
    ])
  })
})
