import { afterEach, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { errorText } from './error-text.ts'

let auth: MessagingAuth
afterEach(() => auth?.close())

const message = 'Only <colleagues> may sign up'
const credentials = { email: 'ada@example.test', identifier: 'ada@example.test' }

/** Submits a form in German. */
async function submitted(path: string, hooks: AuthConfig['hooks']) {
  const pages = { enabled: true, name: 'Acme' }
  auth = await startMessagingAuth({ siteUrl: origin, pages, hooks })
  if (path === '/sign-in') await auth.given.user(credentials.email)
  const form = { ...credentials, password: testPassword }
  const german = { 'accept-language': 'de' }
  const { status, text } = await openBrowser(auth).submit(path, 'password', form, german)
  const [, notice = ''] = /role="alert"[^>]*><p>([^<]*)</.exec(text) ?? []
  return { status, text, notice }
}

const shown = message.replace('<', '&lt;').replace('>', '&gt;')

it.each([
  [
    'with a code',
    () => {
      throw new AuthError('signup_disabled', 403, message)
    },
    403,
  ],
  ['without a code', () => ({ error: { http_code: 400, message } }), 400],
  ['without a status', () => ({ error: { message } }), 500],
])('the message of a hook that rejects a new user is shown: %s', async (_, hook, status) => {
  const answer = await submitted('/sign-up', { beforeUserCreated: hook })

  expect(answer).toMatchObject({ status, notice: shown })
})

it('the message of a hook that rejects a password is shown', async () => {
  const hook = () => ({ decision: 'reject', message }) as const

  const answer = await submitted('/sign-in', { passwordVerificationAttempt: hook })

  expect(answer).toMatchObject({ status: 400, notice: shown })
})

it.each([
  [
    'a hook without a message',
    { passwordVerificationAttempt: () => ({ decision: 'reject' }) as const },
  ],
  [
    'a hook that fails',
    {
      passwordVerificationAttempt: () => {
        throw new Error(message)
      },
    },
  ],
])('the text of the service is shown for %s', async (_, hooks) => {
  const { status, text } = await submitted('/sign-in', hooks)

  expect(status).toBeGreaterThanOrEqual(400)
  expect(text).not.toMatch(/colleagues|hook|rejected/)
})

it('errorText returns the message of a hook', () => {
  const error = new AuthError('signup_disabled', 403, message, { isHookMessage: true })

  expect(errorText(error, ['de'])).toBe(message)
})
