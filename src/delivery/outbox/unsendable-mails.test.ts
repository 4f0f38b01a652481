import { afterEach, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth
afterEach(() => auth.close())

it('stores no mail without a carrier, and logs this once, at the start', async () => {
  auth = await startTestAuth({ email: { autoconfirm: true, maxFrequencySeconds: 0 } })
  const { user } = await auth.given.session()

  const answers = [
    await auth.post('/recover', { email: user.email }),
    await auth.post('/otp', { email: user.email }),
    await auth.post('/otp', { email: 'new@example.test' }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await auth.rows('select kind from auth.outbox_messages')).toEqual([])
  expect(auth.log.filter(({ message }) => message.endsWith('no mail is sent'))).toHaveLength(1)
})
