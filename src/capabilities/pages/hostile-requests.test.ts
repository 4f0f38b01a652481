import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({
    siteUrl: origin,
    basePath: '/auth',
    pages: { enabled: true, signIn: '/login' },
    signUp: { disabled: true },
    phone: { enabled: true },
    hooks: { sendSms: () => {} },
  })
})
afterAll(() => auth?.close())

it('does not reveal numbers without a user where only existing users may sign in', async () => {
  const other = await auth.beside({ pages: { enabled: true, signIn: undefined } })
  await auth.auth.admin.createUser({ phone: '+447700900123', phoneConfirm: true })

  const answers = []
  for (const identifier of ['+447700900123', '+447700900199']) {
    const browser = openBrowser({ ...auth, auth: other.auth } as MessagingAuth)
    answers.push(await browser.submit('/auth/sign-in?with=code', 'code', { identifier }))
  }
  await other.close()

  expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
    [303, '/auth/confirm'],
    [303, '/auth/confirm'],
  ])
})

it.each([['/auth/sign-in'], ['/auth/sign-up']])(
  'rejects a query with more parameters than any page has, before they are read: %s',
  async (path) => {
    const browser = openBrowser(auth)

    const few = await browser.get(`${path}?${'%FF&'.repeat(400)}`)
    const many = await browser.get(`${path}?${'%FF&'.repeat(3_900)}`)

    expect([few.status < 400, many.status]).toEqual([true, 400])
  },
)

it('keeps the query for a replaced page', async () => {
  const answer = await openBrowser(auth).get('/auth/sign-in?redirect_to=/a%26b&do=x&x=1&x=2')

  expect(answer.headers.get('location')).toBe(`${origin}/login?redirect_to=%2Fa%26b&x=1&x=2`)
})
