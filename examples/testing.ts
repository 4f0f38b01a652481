// Tests of an application, with `node:test`: access to notes.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/testing.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `npm install latchkey`,
// `cp node_modules/latchkey/examples/testing.ts .`, `node testing.ts`
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type Auth, AuthError } from 'latchkey'
import { createTestAuth, type TestAuth } from 'latchkey/testing'

/** The application, which is handed the service. */
const createApp = (auth: Auth) => async (request: Request) => {
  try {
    const { user } = await auth.requireUser(request, { aal: 2 })
    return Response.json({ notes: [`Hello ${user.email}`] })
  } catch (error) {
    if (error instanceof AuthError)
      return Response.json({ code: error.code }, { status: error.status })
    throw error
  }
}

let service: TestAuth
before(async () => {
  service = await createTestAuth()
})
beforeEach(() => service.reset())
after(() => service.close())

const read = (headers: Record<string, string>) =>
  createApp(service.auth)(new Request('https://app.example.com/notes', { headers }))

test('notes are read with two factors', async () => {
  const ada = await service.signedIn({ email: 'ada@example.test', aal: 2 })

  const answer = await read(ada.headers)

  assert.deepEqual(await answer.json(), { notes: ['Hello ada@example.test'] })
})

test('notes are closed to a password alone, and to an old session', async () => {
  const bea = await service.signedIn({ factors: ['totp'] })
  const cleo = await service.signedIn({ aal: 2 })
  service.clock.advance('2h')

  assert.equal((await read(bea.headers)).status, 401)
  assert.equal((await read(cleo.headers)).status, 401)
  assert.equal((await read({})).status, 401)
})

test('a mailed link is valid for fifteen minutes where that is configured', async () => {
  const short = await createTestAuth({ email: { otpLifetimeSeconds: 900 } })
  await short.signedIn({ email: 'ada@example.test' })
  await short.auth.api.resetPasswordForEmail({ email: 'ada@example.test' })
  const [mail] = await short.mails()
  short.clock.advance('16m')

  await assert.rejects(
    short.auth.api.verifyOtp({
      type: 'recovery',
      email: 'ada@example.test',
      token: mail?.code ?? '',
    }),
    { code: 'otp_expired' },
  )
  await short.close()
})
