import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import type { CliProcess } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { readMailbox } from './support/read-mailbox.ts'
import { freePort } from './support/server-process.ts'
import { examplesFolder, spawnExample } from './support/spawn-example.ts'

const credentials = { email: 'ada@example.test', password: 'correct horse' }

let database: TestDatabase
let folder: string
let running: CliProcess | undefined

const start = (name: string, port = 0): CliProcess => {
  const env = { DATABASE_URL: database.url, PORT: String(port) }
  running = spawnExample(name, { cwd: folder, env })
  return running
}

async function startServer(name: string) {
  const { printed } = start(name, await freePort())
  const [, url = ''] = await printed(/Listening on (http:\S+)/)
  const [mailbox] = await printed(/http:\S+\/_latchkey\/mail\?token=\w+/)
  return { url, mailbox: await readMailbox(mailbox) }
}

/** Each start prints its own token. */
const withoutToken = ({ output }: CliProcess) => output().replace(/token=\w+/, 'token=…')

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-examples-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Each starts processes, in two seconds, or in forty on a busy machine. */
describe('the example', { timeout: 180_000 }, () => {
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => running?.stop())
  afterAll(() => database.drop())

  it('cookies.ts signs users in and out by forms, and rejects forms of other sites', async () => {
    const person = { ...credentials, email: 'cora@example.test' }
    const { url, mailbox } = await startServer('cookies.ts')
    const cookies = new Map<string, string>()
    const visit = async (method: string, path: string, form?: object, origin = url) => {
      const answer = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
          ...(method === 'POST' && { origin }),
        },
        ...(form && { body: new URLSearchParams({ ...form }) }),
      })
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^(.+?)=([^;]*)/.exec(cookie) ?? []
        if (value) cookies.set(name, value)
        else cookies.delete(name)
      }
      const caching = answer.headers.get('cache-control')
      return { status: answer.status, text: await answer.text(), caching }
    }

    const signUp = await visit('POST', '/sign-up', person)
    const { link } = await mailbox.newest(person.email)
    const opened = await fetch(link, { redirect: 'manual' })
    const { pathname, search } = new URL(opened.headers.get('location') ?? '')
    const callback = await visit('GET', pathname + search)
    const welcome = await visit('GET', '/')
    const foreign = await visit('POST', '/sign-out', {}, 'https://evil.test')
    const signOut = await visit('POST', '/sign-out', {})
    const signedOut = await visit('GET', '/')
    const signIn = await visit('POST', '/sign-in', person)
    const again = await visit('GET', '/')

    expect(signUp.text).toContain('Open the link')
    expect([pathname, callback.status]).toEqual(['/callback', 302])
    expect(welcome.text).toContain(`Hello, ${person.email}`)
    expect(welcome.caching).toBe('private, no-store')
    expect([foreign.status, signOut.status]).toEqual([403, 302])
    expect(signedOut.text).toContain('<title>Sign in</title>')
    expect(signIn.status).toBe(302)
    expect(again.text).toContain(`Hello, ${person.email}`)
  })

  it('consent-page.ts grants a client access by its own page', async () => {
    const { url } = await startServer('consent-page.ts')
    const cookies = new Map<string, string>()
    const visit = async (method: string, path: string, form?: object, from = url) => {
      const answer = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
          ...(method === 'POST' && { origin: from, referer: `${from}${consentPath}` }),
        },
        ...(form && { body: new URLSearchParams({ ...form }) }),
      })
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^(.+?)=([^;]*)/.exec(cookie) ?? []
        cookies.set(name, value)
      }
      const location = answer.headers.get('location')
      return { status: answer.status, text: await answer.text(), location }
    }
    const redirectUri = 'https://client.example.test/cb'
    const { body: client } = await ask(url, 'POST', '/auth/oauth/clients/register', {
      body: {
        client_name: '<b>Notes</b>',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
      },
    })
    const verifier = 'v'.repeat(43)
    const parameters = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'email notes:read',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    let consentPath = ''
    const begun = await visit('GET', `/auth/oauth/authorize?${parameters}`)
    consentPath = (begun.location ?? '').slice(url.length)

    const anonymous = await visit('GET', consentPath)
    const signIn = await visit('POST', '/sign-in', {
      email: 'grace@example.com',
      password: 'correct horse',
    })
    const page = await visit('GET', consentPath)
    const foreign = await visit('POST', consentPath, { decision: 'allow' }, 'https://evil.test')
    const allowed = await visit('POST', consentPath, { decision: 'allow' })

    expect(anonymous.text).toContain('<title>Sign in</title>')
    expect(signIn.location).toBe(consentPath)
    expect(page.text).toContain('“<bdi>&lt;b>Notes&lt;/b></bdi>” would like access')
    expect(page.text).toContain('<li>See your email address</li><li>See your notes</li>')
    expect(foreign.status).toBe(403)
    expect(allowed.location).toMatch(/^https:\/\/client\.example\.test\/cb\?code=/)
  })

  it('express.ts signs its users in and recognizes them', async () => {
    const { url, mailbox } = await startServer('express.ts')

    const signUp = await ask(url, 'POST', '/auth/signup', { body: credentials })
    const { link } = await mailbox.newest(credentials.email)
    const opened = await fetch(link, { redirect: 'manual' })
    const signIn = await ask(url, 'POST', '/auth/token?grant_type=password', { body: credentials })
    const { access_token: token } = signIn.body
    const profile = await ask(url, 'GET', '/profile', { token })
    const anonymous = await ask(url, 'GET', '/profile')
    const own = await ask(url, 'GET', '/')

    expect([signUp.status, opened.status, signIn.status]).toEqual([200, 303, 200])
    expect(opened.headers.get('location')).toMatch(`${url}#access_token=`)
    expect(profile.body).toEqual({ message: 'hello, ada@example.test' })
    expect([anonymous.status, anonymous.body.code]).toEqual([401, 'no_authorization'])
    expect(own.body).toEqual({ message: 'hello, guest' })
  })

  it.each(['fastify.ts', 'koa.ts', 'hono.ts', 'fetch.ts'])(
    '%s signs its users in, recognizes them, and stops on a signal',
    async (name) => {
      const { url, mailbox } = await startServer(name)
      const body = { ...credentials, email: `${name}@example.test` }

      await ask(url, 'POST', '/auth/signup', { body })
      const { code } = await mailbox.newest(body.email)
      const proof = { type: 'signup', email: body.email, token: code }
      await ask(url, 'POST', '/auth/verify', { body: proof })
      const signIn = await ask(url, 'POST', '/auth/token?grant_type=password', { body })
      const profile = await ask(url, 'GET', '/profile', { token: signIn.body.access_token })
      const anonymous = await ask(url, 'GET', '/profile')
      const own = await ask(url, 'GET', '/')
      const ending = await running?.stop()

      expect(profile.body).toEqual({ message: `hello, ${body.email}` })
      expect([anonymous.status, anonymous.body.code]).toEqual([401, 'no_authorization'])
      expect(own.body).toEqual({ message: 'hello, guest' })
      expect(ending).toEqual({ code: 0, signal: null })
    },
  )

  it('standalone.ts serves the whole protocol, and stops on a signal', async () => {
    const { url, mailbox } = await startServer('standalone.ts')
    const body = { ...credentials, email: 'grace@example.test' }

    await ask(url, 'POST', '/signup', { body })
    const { code } = await mailbox.newest(body.email)
    await ask(url, 'POST', '/verify', { body: { type: 'signup', email: body.email, token: code } })
    const signIn = await ask(url, 'POST', '/token?grant_type=password', { body })
    const user = await ask(url, 'GET', '/user', { token: signIn.body.access_token })
    const ending = await running?.stop()

    expect(user.body).toMatchObject({ email: 'grace@example.test', role: 'authenticated' })
    expect(ending).toEqual({ code: 0, signal: null })
  })

  it('subscribe-pages.ts serves a public form, which subscribes to its lists', async () => {
    const { url, mailbox } = await startServer('subscribe-pages.ts')
    const [, path = ''] = /newsletter(\/subscribe-pages\/\d+)/.exec(running?.output() ?? '') ?? []

    const form = await ask(url, 'GET', '/')
    const page = await ask(url, 'GET', `/newsletter${path}`)
    const lists = page.body.data.find(({ key }: { key: string }) => key === 'lists').value
    const list = await ask(url, 'GET', `/newsletter/lists/${lists}/public`)
    const data = { subscribe_page: page.body.id, lists: [list.body.id] }
    const body = { email: 'reader@example.test', data }
    const signUp = await ask(url, 'POST', '/auth/otp', { body })
    const { code } = await mailbox.newest(body.email)
    const proof = { type: 'email', email: body.email, token: code }
    const signedIn = await ask(url, 'POST', '/auth/verify', { body: proof })

    expect(form.text).toContain(`/subscribe-pages/${page.body.id}`)
    expect(form.text).toContain("fetch('/auth/otp'")
    expect(page.body).toMatchObject({ title: 'Release notes by mail', active: true })
    expect(page.text).not.toContain('@')
    expect(list.body).toMatchObject({ name: 'Release notes' })
    expect([signUp.status, signedIn.status]).toEqual([200, 200])
    expect(signedIn.body.user.user_metadata).toMatchObject(data)
  })

  it("row-level-security.ts returns each user's own rows, at each run", async () => {
    const first = start('row-level-security.ts')
    const firstEnding = await first.ended
    const second = start('row-level-security.ts')
    const secondEnding = await second.ended

    expect(first.output()).toContain("Ada sees: [ 'a note of Ada', 'a note of Ada for Grace' ]")
    expect(first.output()).toContain("Grace sees: [ 'a note of Ada for Grace', 'a note of Grace' ]")
    expect(first.output()).toContain('A signed-out visitor sees: []')
    expect(first.output()).toContain('Grace cannot write in the name of Ada.')
    expect([firstEnding.code, secondEnding.code]).toEqual([0, 0])
    expect(withoutToken(second)).toBe(withoutToken(first))
  })

  it('mikro-orm.ts relates notes to users, at each run', async () => {
    const first = start('mikro-orm.ts')
    const firstEnding = await first.ended
    const second = start('mikro-orm.ts')
    const secondEnding = await second.ended

    const [planned = '', ...rest] = withoutToken(first).split(/(?=Users after)/)
    expect(planned).toMatch(
      /To migrate: create table "example_note" .*;\n+alter table "example_note" /,
    )
    expect(planned).toContain('foreign key ("owner_id") references "auth"."users" ("id")')
    expect(planned.match(/^\w+ table \S+/gm)).toEqual(['alter table "example_note"'])
    expect(rest.join('')).toBe(
      [
        'Users after the rollback: 0\n',
        'Ada’s note: hello\n',
        'Rejected: a user written without Latchkey.\n',
        'Notes after Ada is deleted: 0\n',
      ].join(''),
    )
    expect([firstEnding.code, secondEnding.code]).toEqual([0, 0])
    expect(withoutToken(second)).toBe(withoutToken(first))
  })

  it('testing.ts tests an application', async () => {
    const { ended, output } = start('testing.ts')

    expect((await ended).code).toBe(0)
    expect(output()).toMatch(/(#|ℹ) pass 3\b/)
  })

  it('admin-script.ts manages users, at each run', async () => {
    const first = start('admin-script.ts')
    const firstEnding = await first.ended
    const second = start('admin-script.ts')
    const secondEnding = await second.ended

    for (const { output } of [first, second]) {
      // A line names the mailbox as soon as the service has started.
      expect(output().replace(/^Latchkey shows .*\n/gm, '')).toContain(
        [
          ...['ada', 'bea', 'cleo'].map((name) => `Found ${name}@example.com\n`),
          'Banned ada@example.com\n',
          'Deleted cleo@example.com\n',
          'Recorded user_modified ada@example.com\n',
          'Recorded user_deleted cleo@example.com\n',
        ].join(''),
      )
    }
    expect([firstEnding.code, secondEnding.code]).toEqual([0, 0])
  })
})

it("has in each file's first lines its purpose and its start command, in a clone and from the package", () => {
  const files = readdirSync(examplesFolder).filter((name) => name.endsWith('.ts'))

  for (const name of files) {
    const text = readFileSync(join(examplesFolder, name), 'utf8')
    const [what, ...how] = text.split('\n').slice(0, 4)
    expect(what).toMatch(/^\/\/ [A-Z].+\.$/)
    expect(how.join('\n')).toContain(`\`npx node --conditions=latchkey-source examples/${name}\``)
    expect(how.join('\n')).toContain(`\`node ${name}\``)
  }
})
