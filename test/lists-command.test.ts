import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, serviceToken } from './support/ask.ts'
import { runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor, type ServerProcess, startServer } from './support/server-process.ts'
import { runSql } from './support/sql.ts'

const origin = 'https://shop.example.test'
const enabled = {
  AUTH_SUBSCRIBE_PAGES_ENABLED: 'true',
  AUTH_SUBSCRIBE_PAGES_CORS_ORIGINS: `${origin}, https://other.example.test`,
}

interface AuditedChange {
  action: string
  actorRole: string
  traits: object
}

let database: TestDatabase
let server: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startServer(database.url, enabled)
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
})

const latchkey = (args: string[], env: Record<string, string> = enabled) =>
  runCli(args, environmentFor(database.url, env))
const lists = (...args: string[]) => latchkey(['lists', ...args])
const json = async (...args: string[]) => JSON.parse((await lists(...args, '--json')).output)

describe('latchkey lists', () => {
  it('creates, changes, lists and removes public lists', async () => {
    const [made] = await json(
      'create',
      'Release notes',
      '--description',
      'Once a month',
      '--position',
      '2',
    )
    const hidden = await ask(server.url, 'GET', `/api/v2/lists/${made.id}/public`)
    const [shown] = await json('update', String(made.id), '--public', '--position', '')
    const found = await ask(server.url, 'GET', `/lists/${made.id}/public`)
    const { output: line } = await lists()

    expect(made).toMatchObject({ name: 'Release notes', listPosition: 2, public: false })
    expect(hidden.status).toBe(404)
    expect(shown).toEqual({ ...made, public: true, listPosition: null })
    expect(found.body).toEqual({
      id: made.id,
      name: 'Release notes',
      description: 'Once a month',
      list_position: null,
    })
    expect(line).toBe(`${made.id}\tRelease notes\tpublic\t-\tOnce a month\n`)
    expect((await lists('remove', String(made.id))).code).toBe(0)
    expect(await json('list')).toEqual([])
    const { output: audit } = await latchkey(['admin', 'audit', '--json'])
    const { entries } = JSON.parse(audit)
    expect(
      entries.map(({ action, actorRole, traits }: AuditedChange) => [action, actorRole, traits]),
    ).toEqual(
      ['deleted', 'updated', 'created'].map((change) => [
        `subscriber_list_${change}`,
        'cli',
        { list_id: made.id },
      ]),
    )
  })

  it.each([
    [['create'], 'the name is missing'],
    [['create', ' '], 'lists create: name has to be a text'],
    [['create', 'a', '--public', '--private'], '--public or --private, not both'],
    [['list', '--public'], 'lists list: --public is an option of lists create, lists update'],
    [['update', 'x'], 'which list?'],
    [['create', 'a', '--position', 'first'], '--position must be a number'],
    [['destroy'], 'unknown: lists destroy'],
  ])('rejects %j', async (args, expected) => {
    const { code, output } = await lists(...args)

    expect(code).toBe(2)
    expect(output).toContain(expected)
  })

  it.each([
    ['update', '999', '--name', 'x'],
    ['remove', '999'],
  ])('N17: exits with 1 for an unknown list: %s %s', async (...args) => {
    expect(await lists(...args)).toMatchObject({ code: 1, output: 'lists: there is no list 999\n' })
  })

  it('belongs to the pages, and creates no tables where these are not enabled', async () => {
    const other = await createTestDatabase()
    const { code, output } = await runCli(['lists', 'list'], environmentFor(other.url, {}))
    const tables = await runSql(
      other.url,
      "select 1 from information_schema.tables where table_name like 'subscri%'",
    )
    await other.drop()

    expect([code, tables]).toEqual([1, []])
    expect(output).toContain('AUTH_SUBSCRIBE_PAGES_ENABLED has to be true')
  })
})

describe('the server', () => {
  it('serves pages beside the endpoints, each with its own form of responses', async () => {
    const asks = ['/api/v2/subscribe-pages', '/subscribe-pages', '/subscribe-pages/x', '/api/v2/x']
    const ofPages = await Promise.all(asks.map((path) => ask(server.url, 'GET', path)))
    const ofService = await ask(server.url, 'GET', '/nowhere')
    const settings = await ask(server.url, 'GET', '/settings')

    expect(ofPages.map(({ status }) => status)).toEqual([403, 403, 404, 404])
    for (const { body } of ofPages) expect(Object.keys(body)).toEqual(['message'])
    expect(ofService.body).toMatchObject({ code: 404, error_code: 'not_found' })
    expect(settings.status).toBe(200)
  })

  it('logs in an operator, who writes a public page', async () => {
    const body = { email: 'maria@example.test', password: 'correct horse', email_confirm: true }
    await ask(server.url, 'POST', '/admin/users', {
      token: serviceToken(),
      body: { ...body, role: 'service_role' },
    })

    const { body: session } = await ask(server.url, 'POST', '/api/v2/sessions', {
      body: { login_name: body.email, password: body.password },
    })
    const made = await ask(server.url, 'POST', '/api/v2/subscribe-pages', {
      headers: { 'php-auth-pw': session.key },
      body: { title: 'News', active: true },
    })
    const read = await ask(server.url, 'GET', `/subscribe-pages/${made.body.id}`)

    expect([made.status, read.status, read.body.title]).toEqual([201, 200, 'News'])
    const { output } = await latchkey(['admin', 'export-user', body.email])
    expect(JSON.parse(output).companions.subscribePages).toMatchObject([{ title: 'News' }])
  })

  it('allows requests of scripts with a configured origin only', async () => {
    const preflight = (from: string) =>
      fetch(`${server.url}/subscribe-pages`, {
        method: 'OPTIONS',
        headers: { origin: from, 'access-control-request-method': 'GET' },
      })
    const allowed = await preflight(origin)
    const refused = await preflight('https://evil.example.test')
    const read = await fetch(`${server.url}/subscribe-pages/1`, { headers: { origin } })

    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      204,
      origin,
    ])
    expect(allowed.headers.get('access-control-allow-headers')).toContain('php-auth-pw')
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      405,
      null,
    ])
    expect(refused.headers.get('vary')).toBe('origin')
    expect(read.headers.get('access-control-allow-origin')).toBe(origin)
  })
})

describe('latchkey migrate', () => {
  it('lists the steps of the pages where these are enabled, and takes them', async () => {
    const other = await createTestDatabase()
    const migrate = async (env: Record<string, string>, ...args: string[]) =>
      (await runCli(['migrate', ...args], environmentFor(other.url, env))).output

    expect(await migrate({}, 'status')).not.toContain('subscribe')
    expect(await migrate({})).toBe('up to date\n')
    expect(await migrate(enabled, 'status')).toContain('pending 20261123-subscribe-pages')
    expect(await migrate(enabled, 'plan')).toContain('create table "auth"."subscribe_pages"')
    expect(await migrate(enabled)).toBe('applied 20261123-subscribe-pages\n')
    expect(await migrate(enabled)).toBe('up to date\n')
    await other.drop()
  })
})
