import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from '../../../../test/support/browser.ts'
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { developerRoot } from '../../../endpoints/http/local-access.ts'
import { toNode } from '../../../hosts/adapters/node.ts'
import { createService, type Service } from '../../create-auth.ts'
import { actionsOf } from '../mailbox/message-view.ts'

let database: TestDatabase
let service: Service
let server: Server
let url: string

beforeAll(async () => {
  database = await createTestDatabase()
  server = createServer((request, response) => toNode(service.auth)(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  url = `http://127.0.0.1:${port}`
  const email = { maxFrequencySeconds: 0 }
  service = createService({ development: true, database: database.url, server: { port }, email })
  await service.auth.ready()
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await service.auth.close()
  await database.drop()
})

/** Returns the link of the mail for a sign-up. */
async function linkFor(email: string): Promise<string> {
  const { mailbox } = (await service.runtime()).deps
  const before = mailbox?.list().length ?? 0
  await service.auth.api.signUp({ email, password: 'correct horse' })
  await expect.poll(() => mailbox?.list().length).toBe(before + 1)
  const mail = mailbox?.list().find((one) => one.kind === 'mail' && one.mail.to === email)
  return (mail && actionsOf(mail).links[0]) ?? ''
}

it('H33: a link of the development mailbox leads to a page of the service', async () => {
  const opened = await fetch(await linkFor('ada@example.test'), { redirect: 'manual' })
  const target = new URL(opened.headers.get('location') ?? '')
  const page = await fetch(target)

  expect(opened.status).toBe(303)
  expect(`${target.origin}${target.pathname}`).toBe(`${url}${developerRoot}/landed`)
  expect(target.hash).toContain('access_token=')
  expect([page.status, page.headers.get('access-control-allow-origin')]).toEqual([200, null])
})

it('the first page links to sign-up, account, mailbox and components, and opens the mailbox', async () => {
  const text = await (await fetch(`${url}/`)).text()
  for (const path of [
    '/sign-up',
    '/account',
    `${developerRoot}/mail`,
    `${developerRoot}/components`,
  ])
    expect(text).toContain(`href="${path}"`)

  const [, token = ''] = /token=(\w+)/.exec((await service.auth.mailboxUrl()) ?? '') ?? []
  const entered = await fetch(`${url}/?token=${token}`, { redirect: 'manual' })
  const cookie = entered.headers.get('set-cookie') ?? ''
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/'])
  expect(cookie).toContain(`Path=${developerRoot};`)
  const headers = { cookie: cookie.split(';')[0] ?? '' }
  expect((await fetch(`${url}${developerRoot}/mail`, { headers })).status).toBe(200)
  expect((await fetch(`${url}${developerRoot}/mail`)).status).toBe(401)
  expect((await fetch(`${url}/?token=wrong`)).status).toBe(401)
  expect(await (await fetch(`${url}${developerRoot}/components`)).text()).toContain(
    '<h1>Components</h1>',
  )
})

describeInBrowser('the page where links end in development', ({ open }) => {
  it('H33: reports the result, and the next step of an application', async () => {
    const link = await linkFor('bob@example.test')
    const page = await open()

    await page.goto(link)
    expect(await page.textContent('h1')).toBe('Sign-up confirmed: the user is signed in')
    expect(await page.textContent('main')).toMatch(/As bob@example\.test\..*onAuthStateChange/s)
    expect(page.url()).toBe(`${url}${developerRoot}/landed`)

    await page.goto(link)
    expect(await page.textContent('h1')).toBe('The link could not be used')
    expect(await page.textContent('#detail')).toContain('otp_expired')

    await page.goto(`${url}${developerRoot}/landed?code=abc`)
    expect(await page.textContent('#next')).toContain('exchangeCodeForSession(code)')
  })
})
