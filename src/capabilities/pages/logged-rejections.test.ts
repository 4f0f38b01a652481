import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import type { Logger } from '../../platform/observability/logger.ts'

const lines: object[] = []
let auth: MessagingAuth
let token: string

beforeAll(async () => {
  const note = (fields: object) => lines.push(fields)
  const logger: Logger = { debug: note, info: note, warn: note, error: note, fatal: note }
  auth = await startMessagingAuth({
    logger,
    siteUrl: origin,
    pages: { enabled: true },
    server: { requestIdHeader: 'x-trace' },
  })
  token = await auth.given.serviceToken()
})
afterAll(() => auth.close())

it('the log and the decisions of a rejected form contain the code of the error', async () => {
  const form = { identifier: 'ada@example.test', password: 'not the password' }
  const { status } = await openBrowser(auth).submit('/sign-in', 'password', form, {
    'x-trace': 'form',
  })

  expect(status).toBe(400)
  const line = lines.find((one) => 'status' in one && one.status === 400)
  expect(line).toMatchObject({ errorCode: 'invalid_credentials' })
  const { body } = await auth.get('/admin/decisions?request_id=form', { token })
  expect(body).toMatchObject([{ status: 400, rule: 'invalid_credentials' }])
})
