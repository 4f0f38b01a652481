import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as arctic from 'arctic'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bindAt, order } from '../../../test/support/providers/sign-in-at.ts'
import { startProviders } from '../../../test/support/providers/start-providers.ts'
import { type ProviderName, providerNames } from '../../platform/config/provider-names.ts'
import type {
  ProviderClient,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import { builtInProviders } from './built-in-providers.ts'

const client: ProviderClient = {
  clientId: 'id',
  clientIds: ['id'],
  clientSecret: 'secret',
  redirectUri: 'https://app.example.test/callback',
  url: 'https://id.example.test',
}
const state = 'state'
const codeVerifier = 'verifier'

/** The reasons in the table of `docs/architecture.md`. */
const reasons = {
  fits: 'accepts every endpoint that the configuration can name',
  noClass: 'Arctic has no class for it',
  noCodeChallenge: 'the class sends no code challenge',
  fixedEndpoints: 'the class has fixed endpoints, and the configuration can replace ours',
  needsKey: 'the class requires a signing key, and the configuration may be a client secret',
  oauth1: 'OAuth 1.0a',
}

const exported: ReadonlyMap<string, unknown> = new Map(Object.entries(arctic))

type AnyClass = new (...args: never[]) => { createAuthorizationURL(...args: unknown[]): URL }

/** The class of Arctic for each provider that it has one for, with the arguments before those of every class. */
const classes: Partial<Record<ProviderName, [keyof typeof arctic, ...string[]]>> = {
  apple: ['Apple'],
  azure: ['MicrosoftEntraId', 'common'],
  bitbucket: ['Bitbucket'],
  discord: ['Discord'],
  facebook: ['Facebook'],
  figma: ['Figma'],
  github: ['GitHub'],
  gitlab: ['GitLab', `${client.url}`],
  google: ['Google'],
  kakao: ['Kakao'],
  keycloak: ['KeyCloak', `${client.url}`],
  linkedin: ['LinkedIn'],
  linkedin_oidc: ['LinkedIn'],
  notion: ['Notion'],
  slack: ['Slack'],
  slack_oidc: ['Slack'],
  spotify: ['Spotify'],
  twitch: ['Twitch'],
  workos: ['WorkOS'],
  x: ['Twitter'],
  zoom: ['Zoom'],
}

/** Returns the authorization URL that the class builds with every value that it accepts. */
function urlOfClass([name, ...before]: [keyof typeof arctic, ...string[]]): URL {
  const Class = exported.get(name) as AnyClass
  const last = Class.length === 5 ? ['team', 'key', new Uint8Array()] : [client.clientSecret]
  const args = [...before, client.clientId, ...last, client.redirectUri]
  const made = new Class(...(args as never[]))
  // The last parameter of most classes is a list of scopes; the second of three is the code verifier.
  const further = { 1: [], 2: [name === 'WorkOS' ? codeVerifier : []], 3: [codeVerifier, []] }
  const count = made.createAuthorizationURL.length as keyof typeof further
  return made.createAuthorizationURL(state, ...further[count])
}

async function obstacleOf(
  name: ProviderName,
  { usesCodeVerifier = false, endpoints }: ProviderDefinition,
): Promise<keyof typeof reasons> {
  const found = classes[name]
  if (!found) return 'noClass'
  const url = urlOfClass(found)
  if (usesCodeVerifier && !url.searchParams.has('code_challenge')) return 'noCodeChallenge'
  const { authorization } = await endpoints(client, {} as never)
  if (`${url.origin}${url.pathname}` !== authorization) return 'fixedEndpoints'
  return (exported.get(found[0]) as AnyClass).length === 5 ? 'needsKey' : 'fits'
}

async function rowOf(name: ProviderName): Promise<string> {
  const definition = await builtInProviders[name]()
  if (typeof definition === 'function') return `| \`${name}\` | none | ${reasons.oauth1} |`
  const builder =
    'createArctic' in definition
      ? (definition.createArctic as (given: ProviderClient) => object)(client).constructor.name
      : 'OAuth2Client'
  const obstacle = await obstacleOf(name, definition)
  expect([name, builder === 'OAuth2Client']).toEqual([name, obstacle !== 'fits'])
  return `| \`${name}\` | \`${builder}\` | ${reasons[obstacle]} |`
}

it('builds authorization URLs as the table of docs/architecture.md states', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/architecture.md'), 'utf8')
  const rows = await Promise.all(providerNames.map(rowOf))

  const table = page.split('\n').filter((line) => /^\| `\w+` \| (`\w+`|none) \|/.test(line))
  expect(table).toEqual(rows)
})

it.each(['Fly', 'Snapchat', 'Vercel'])('has no class for %s', (name) => {
  const similar = [...exported.keys()].filter((one) =>
    one.toLowerCase().includes(name.toLowerCase()),
  )
  expect(similar).toEqual([])
})

describe('a code', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  const recordRequests = () => {
    const sent: Request[] = []
    vi.stubGlobal('fetch', async (request: Request) => {
      sent.push(request)
      return Response.json({ access_token: 'access-token' })
    })
    return sent
  }

  it('would be sent by Arctic with the global fetch, which follows redirects', async () => {
    const sent = recordRequests()
    const oauth = new arctic.OAuth2Client(client.clientId, client.clientSecret, client.redirectUri)
    await oauth.validateAuthorizationCode('https://id.example.test/token', 'code', codeVerifier)

    expect(sent.map(({ redirect }) => redirect)).toEqual(['follow'])
    // Neither takes a fetch, a timeout or a signal.
    expect([arctic.OAuth2Client.length, oauth.validateAuthorizationCode.length]).toEqual([3, 3])
  })

  it.each(['google', 'keycloak', 'github'] as const)(
    'of %s is exchanged within the bounds of safe-fetch instead',
    async (name) => {
      await using server = await startProviders()
      const provider = await bindAt(server, name)
      const { url, ...kept } = await provider.createAuthorizationUrl(order)
      const parameters = await server.agree(name, url)
      const sent = recordRequests()

      const { tokens } = await provider.handleCallback({
        ...kept,
        parameter: (one) => parameters.get(one),
      })

      expect(tokens.accessToken).toBe('access-token')
      expect(sent).toEqual([])
    },
  )
})
