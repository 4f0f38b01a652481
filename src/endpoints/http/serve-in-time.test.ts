import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openConnection } from '../../../test/support/raw-http.ts'
import { serve } from '../../../test/support/serve.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { toNode } from '../../hosts/adapters/node.ts'

const max = 16

let auth: TestAuth
let held: PromiseWithResolvers<void>

beforeEach(async () => {
  held = Promise.withResolvers()
  auth = await startTestAuth({
    api: { maxRequestsInFlight: max },
    rateLimits: { header: 'x-client' },
    hooks: { beforeUserCreated: () => held.promise },
  })
})
afterEach(() => auth.close())

const signUp = (name: string, client: string) =>
  auth.post(
    '/signup',
    { email: `${name}@example.test`, password: 'correct horse' },
    { headers: { 'x-client': client } },
  )

/** Sends sign-ups that wait for their hook, and one after them. */
const signUpsOf = (count: number, client: string) =>
  Array.from({ length: count }, (_, index) => signUp(`${client}-${index}`, client))

describe('S117: while too many requests are being served', () => {
  it('a further one gets a 503 that names a time, and is logged', async () => {
    const flood = signUpsOf(max, '198.51.100.66')
    const rejected = await signUp('late', '198.51.100.66')
    held.resolve()
    await Promise.all(flood)
    const afterwards = await signUp('later', '203.0.113.1')

    expect(rejected.status).toBe(503)
    expect(rejected.body).toMatchObject({ error_code: 'service_unavailable' })
    expect(rejected.headers.get('retry-after')).toBe('1')
    expect(rejected.headers.get('access-control-allow-origin')).toBe('*')
    expect(auth.log.map(({ fields }) => fields['status'])).toContain(503)
    expect(afterwards.status).toBe(200)
  })

  it('a browser gets a page, and a program JSON', async () => {
    const withPages = await startTestAuth({
      siteUrl: 'https://app.example.test',
      api: { maxRequestsInFlight: max },
      pages: { enabled: true },
      hooks: { beforeUserCreated: () => held.promise },
    })
    const waiting = Array.from({ length: max }, (_, index) =>
      withPages.post('/signup', { email: `h${index}@example.test`, password: 'correct horse' }),
    )
    const navigation = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' }
    const page = await withPages.get('/account?redirect_to=%2Fa', { headers: navigation })
    const foreign = await withPages.get('//evil.test/account', { headers: navigation })
    const head = await withPages.request('HEAD', '/account', { headers: navigation })
    const program = await withPages.get('/account', { headers: { accept: 'text/html, */*' } })
    held.resolve()
    await Promise.all(waiting)
    await withPages.close()

    expect([page.status, program.status]).toEqual([503, 503])
    expect(page.headers.get('retry-after')).toBe('1')
    expect(page.text).toContain('The service is busy.')
    expect(page.text).not.toContain('Too many attempts')
    expect(page.text).toMatch(/href="\?redirect_to=%2Fa"[^>]*>Try again</)
    expect(foreign.text).toMatch(/href="\?"[^>]*>Try again</)
    expect([head.status, head.text]).toEqual([503, ''])
    expect(program.body).toMatchObject({ error_code: 'service_unavailable' })
  })

  it('one of another network replaces the newest, which stores nothing', async () => {
    const flood = signUpsOf(max, '198.51.100.66')
    const other = signUp('other', '203.0.113.1')
    const replaced = await flood.at(-1)
    held.resolve()
    const { status } = await other
    await Promise.all(flood)
    const stored = await auth.rows('select email from auth.users order by email')

    expect(replaced?.status).toBe(503)
    expect(status).toBe(200)
    expect(stored).toContainEqual({ email: 'other@example.test' })
    expect(stored).not.toContainEqual({ email: `198.51.100.66-${max - 1}@example.test` })
    expect(stored).toHaveLength(max)
  })

  it('bodies that are sent slowly exclude no other request', async () => {
    await auth.auth.ready()
    const served = await serve(toNode(auth.auth))
    const begun = 'POST /signup HTTP/1.1\r\nhost: auth.test\r\ncontent-length: 600\r\n\r\n{"email":'
    const sockets = await Promise.all(
      Array.from({ length: max }, () => openConnection(served.port)),
    )
    for (const socket of sockets) socket.write(begun)
    const first = once(sockets[0]?.setEncoding('utf8') as (typeof sockets)[0], 'data')

    const answers = []
    for (let index = 0; index < 3; index += 1) answers.push(await fetch(`${served.url}/ready`))
    const [replaced] = await first
    for (const socket of sockets) socket.destroy()
    await served.close()

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(replaced).toMatch(/^HTTP\/1\.1 503 /)
  })
})
