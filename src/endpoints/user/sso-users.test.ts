import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { testPassword } from '../../../test/support/test-auth.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({
    siteUrl: origin,
    pages: { enabled: true },
    phone: { enabled: true },
    security: { manualLinkingEnabled: true },
    providers: { github: { clientId: 'app', clientSecret: 'secret' } },
  })
})
afterAll(() => auth.close())

async function ssoUser() {
  const session = await auth.given.session()
  await auth.rows('update auth.users set is_sso_user = true where id = $1', [session.user.id])
  return session
}

it.each([
  { password: 'a brand new password' },
  { email: 'private@home.test' },
  { phone: '+4915112345678' },
  { nonce: '123456' },
])('S138: the organization of a user manages password and addresses: %j', async (update) => {
  const { accessToken: token } = await ssoUser()

  expect(await auth.put('/user', update, { token })).toMatchObject({
    status: 422,
    body: {
      error_code: 'user_sso_managed',
      msg: 'Updating email, phone, password of a SSO account only possible via SSO',
    },
  })
})

it('metadata and the present address are accepted', async () => {
  const { user, accessToken: token } = await ssoUser()

  const answer = await auth.put('/user', { email: user.email, data: { color: 'red' } }, { token })

  expect(answer).toMatchObject({ status: 200, body: { user_metadata: { color: 'red' } } })
})

it('S138: no identity is linked', async () => {
  const { accessToken: token } = await ssoUser()

  const answer = await auth.get('/user/identities/authorize?provider=github', { token })

  expect(answer).toMatchObject({ status: 422, body: { error_code: 'user_sso_managed' } })
})

it('S138: no identity is unlinked', async () => {
  const { user, accessToken: token } = await ssoUser()
  const [identity] = user.identities

  const answer = await auth.request('DELETE', `/user/identities/${identity?.id}`, { token })

  expect(answer).toMatchObject({ status: 422, body: { error_code: 'user_sso_managed' } })
})

it('pages show no form for data that the organization manages', async () => {
  const browser = openBrowser(auth)
  const identifier = 'ada@acme.test'
  const user = await auth.given.user(identifier)
  await browser.submit('/sign-in', 'password', { identifier, password: testPassword })
  const formsAt = async (path: string) => {
    const { text } = await browser.get(path)
    return text.match(/(?<=[?;&]do=)[\w-]+/g) ?? []
  }
  const paths = ['/account', '/account/security', '/account/identities']
  const before = (await Promise.all(paths.map(formsAt))).flat()
  await auth.rows('update auth.users set is_sso_user = true where id = $1', [user.id])
  const after = (await Promise.all(paths.map(formsAt))).flat()

  expect(before).toEqual(expect.arrayContaining(['email', 'phone', 'password', 'connect', 'name']))
  expect(after).toContain('name')
  for (const action of ['email', 'phone', 'password', 'connect']) {
    expect(after).not.toContain(action)
  }
})
