import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor } from './support/server-process.ts'
import { runSql } from './support/sql.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const run = (args: string[], input = '', settings: Record<string, string> = {}) =>
  runCli(['providers', ...args], { ...environmentFor(database.url, settings), input })
const json = async (args: string[], input?: string) =>
  JSON.parse((await run([...args, '--json'], input, ownCallbacks)).output)
/** Without it, a warning is printed beside the result. */
const ownCallbacks = { AUTH_CUSTOM_OAUTH_OWN_CALLBACKS: 'true' }

const endpoints = [
  ...['--authorization-url', 'https://93.184.216.34/authorize'],
  ...['--token-url', 'https://93.184.216.34/token'],
  ...['--userinfo-url', 'https://93.184.216.34/me'],
]
/** No server listens there. */
const unreachable = 'https://93.184.216.34:1'
const club = ['custom:club', '--name', 'Club', '--client-id', 'club-client', ...endpoints]

describe('latchkey providers', () => {
  it('S152: warns of a provider that shares its callback without announcing iss', async () => {
    const { output } = await run(['add', 'custom:shared', ...club.slice(1)], 'club-secret\n')
    await run(['remove', 'custom:shared', '--yes'])

    expect(output).toContain('shares its callback without announcing iss')
    expect(output).toMatch(/redirectUri\t\S+\/callback\n/)
  })

  it('adds, lists, shows, changes and removes providers', async () => {
    const further = ['--scope', 'profile', '--claim', 'full_name=display_name', '--email-optional']
    const added = await json(['add', ...club, ...further], 'club-secret\n')
    const [stored] = await runSql(
      database.url,
      'select sealed_client_secret from auth.custom_providers',
    )
    const changes = ['--name', 'Clubs', '--disable', '--authorization-param', 'prompt=login']
    const changed = await json(['change', 'custom:club', ...changes])
    const [unchanged] = await runSql(
      database.url,
      'select sealed_client_secret from auth.custom_providers',
    )
    await json(['change', 'custom:club', '--secret'], 'another\n')
    const [replaced] = await runSql(
      database.url,
      'select sealed_client_secret from auth.custom_providers',
    )
    const { output: line } = await run([])

    expect(added).toMatchObject({
      identifier: 'custom:club',
      providerType: 'oauth2',
      scopes: ['profile'],
      attributeMapping: { full_name: 'display_name' },
      emailOptional: true,
      enabled: true,
      redirectUri: expect.stringMatching(/\/callback\/custom:club$/),
    })
    expect(JSON.stringify([added, stored])).not.toContain('club-secret')
    expect(changed).toMatchObject({
      name: 'Clubs',
      enabled: false,
      emailOptional: true,
      authorizationParams: { prompt: 'login' },
    })
    expect(unchanged).toEqual(stored)
    expect(replaced).not.toEqual(stored)
    expect(line).toBe(`custom:club\toauth2\tdisabled\t${added.createdAt}\tClubs\tclub-client\n`)
    expect(await json(['list', '--type', 'oidc'])).toEqual([])
    expect((await run(['show', 'custom:club'])).output).toContain('clientId\tclub-client\n')
    expect((await run(['remove', 'custom:club', '--yes'])).code).toBe(0)
    expect(await json(['list'])).toEqual([])
  })

  it.each([
    [['show'], 2, 'which provider?'],
    [['delete'], 2, 'unknown: providers delete'],
    [['change', 'custom:club', '--enable', '--disable'], 2, '--enable or --disable, not both'],
    [['change', 'custom:club', '--claim', 'name'], 2, '--claim expects NAME=VALUE'],
    [['show', 'custom:other'], 1, 'provider'],
    [['add', 'club', ...club.slice(1)], 2, 'IDENTIFIER has to be custom:'],
    [
      ['add', 'custom:x', '--name', 'X'],
      2,
      'required: --client-id, --issuer (or --authorization-url, --token-url, --userinfo-url)',
    ],
    [['change', 'custom:acme'], 2, 'providers change: nothing to change'],
    [
      ['add', 'custom:x', '--name', 'X', '--client-id', 'x', '--issuer', 'https://10.0.0.1'],
      2,
      'providers add: --issuer has to be',
    ],
    [
      ['add', 'custom:x', '--name', 'X', '--client-id', 'x', '--issuer', unreachable],
      1,
      'providers add: --issuer: the discovery document could not be read',
    ],
  ])('rejects %j', async (args, expectedCode, expected) => {
    const { code, output } = await run(args, 'a secret\n')

    expect([code, output]).toEqual([expectedCode, expect.stringContaining(expected)])
  })

  it('requires a secret, and states the setting while providers are disabled', async () => {
    const without = await run(['add', ...club], '\n')
    const disabled = await run([], '', { AUTH_CUSTOM_OAUTH_ENABLED: 'false' })

    expect([without.code, without.output]).toEqual([2, expect.stringContaining('Client secret')])
    expect([disabled.code, disabled.output]).toEqual([1, expect.stringContaining('disabled')])
  })
})
