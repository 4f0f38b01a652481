import { expect, it } from 'vitest'
import { startTestAuth, testPassword, withoutAutoconfirm } from '../../../test/support/test-auth.ts'

it('accepts a nonce, and a code for a session after it, in either order', async () => {
  const codes: string[] = []
  const auth = await startTestAuth({
    ...withoutAutoconfirm,
    security: { passwordUpdate: { requireReauthentication: true } },
    hooks: { sendEmail: async ({ email_data }) => void codes.push(email_data.token) },
  })
  const nextCode = async () => {
    await (await auth.deps()).outbox.settled()
    return codes.shift()
  }
  const signUp = async (email: string) => {
    await auth.post('/signup', { email, password: testPassword })
    const { body } = await auth.post('/verify', { type: 'signup', email, token: await nextCode() })
    return body.access_token
  }

  const token = await signUp('first@example.test')
  await auth.get('/reauthenticate', { token })
  const change = { password: 'a brand new password', nonce: await nextCode() }
  const changed = await auth.put('/user', change, { token })
  const later = await signUp('second@example.test')
  await auth.close()

  expect(changed).toMatchObject({ status: 200, body: { email: 'first@example.test' } })
  expect(later).toEqual(expect.any(String))
})
