import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Host, openHost } from '../../test/support/host.ts'
import {
  startTestAuth,
  type TestAuth,
  testPassword,
  withoutAutoconfirm,
} from '../../test/support/test-auth.ts'

// A host that rolls back after each wrong guess must not make guessing free.

let auth: TestAuth
let host: Host
let code = ''

beforeAll(async () => {
  auth = await startTestAuth({
    ...withoutAutoconfirm,
    hooks: {
      ...withoutAutoconfirm.hooks,
      sendEmail: ({ email_data }) => {
        code = email_data.token
      },
    },
  })
  await auth.auth.ready()
  host = await openHost(auth.databaseUrl)
})
afterAll(async () => {
  await host.close()
  await auth.close()
})

/** Guesses in a transaction that a wrong guess rolls back. */
const guessing = (guess: (em: SqlEntityManager) => Promise<unknown>) =>
  host.transaction(guess).then(
    () => 'right',
    (error: { code: string }) => error.code,
  )

it('ends the guessing of a code, though each guess is rolled back', async () => {
  const { email } = await auth.given.user()
  await auth.auth.api.signInWithOtp({ email: email ?? '' })
  await (await auth.deps()).outbox.settled()
  const wrong = code === '000000' ? '111111' : '000000'
  const guess = (token: string) =>
    guessing((em) => auth.auth.api.verifyOtp({ type: 'email', email: email ?? '', token }, { em }))

  for (let tries = 0; tries < 30; tries += 1) expect(await guess(wrong)).toBe('otp_expired')

  expect(await guess(code)).toBe('otp_expired')
  auth.clock.advance(10 * 60)
  expect(await guess(code)).toBe('right')
})

it('ends the guessing of a password, though each guess is rolled back', async () => {
  const { email } = await auth.given.user()
  const guess = (password: string) =>
    guessing((em) => auth.auth.api.signInWithPassword({ email: email ?? '', password }, { em }))

  for (let tries = 0; tries < 100; tries += 1) {
    expect(await guess('a wrong one')).toBe('invalid_credentials')
  }

  expect(await guess(testPassword)).toBe('over_request_rate_limit')
})
