import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CallbackResult, openBrowser, redirectOf } from '../../../test/support/fake-realm.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { expectedSignIns } from '../../../test/support/providers/expected-sign-ins.ts'
import { clientId, clientSecret } from '../../../test/support/providers/fake-provider.ts'
import {
  type ProviderServer,
  type Scene,
  startProviders,
} from '../../../test/support/providers/start-providers.ts'
import { type ProviderName, providerNames } from '../../platform/config/provider-names.ts'

let server: ProviderServer
let auth: MessagingAuth
/** The provider that all outgoing requests reach during a test. */
let playing: ProviderName = 'github'

beforeAll(async () => {
  server = await startProviders({ now: () => auth.clock.now() })
  const client = { clientId, clientSecret }
  auth = await startMessagingAuth(
    {
      providers: {
        ...Object.fromEntries(providerNames.map((name) => [name, client])),
        keycloak: { ...client, url: server.baseOf('keycloak') },
      },
    },
    { fetch: (url, options) => server.fetchAs(playing)(url, options) },
  )
})
afterAll(async () => {
  await auth.close()
  await server.close()
})

/**
 * Starts the flow and sends the callback as the page of the provider does: with a query, or with a
 * form.
 */
async function travel(
  name: ProviderName,
  scene: Scene,
  back: (parameters: URLSearchParams) => void = () => {},
): Promise<CallbackResult> {
  playing = name
  server.play(name, scene)
  const browser = openBrowser(auth)
  const { answer } = await browser.authorize({ provider: name })
  const parameters = await server.agree(name, answer.headers.get('location') ?? '')
  back(parameters)
  const path = `/callback/${name}`
  return redirectOf(
    name === 'apple'
      ? await browser.submit(path, parameters)
      : await browser.get(`${path}?${parameters}`),
  )
}

const personAt = (name: ProviderName, suffix: string, isVerified = true) => ({
  email: `ada-${name}-${suffix}@example.test`,
  isVerified,
})

/** The fakes of these providers return further addresses of the user. */
const others: readonly ProviderName[] = ['bitbucket', 'gitlab']

/** Whether the provider returns the profile along with the tokens. */
const hasNoProfile = (name: ProviderName) => name === 'workos'

describe.each(providerNames)('%s', (name) => {
  const { subject, emails = 'as they are' } = expectedSignIns[name]
  const isVerifiedAs = (stated: boolean) => {
    if (emails === 'always verified') return true
    return emails === 'never verified' ? false : stated
  }
  const deleteUsers = () => auth.rows('delete from auth.users')

  it.each([true, false])('signs in a user whose address is verified: %s', async (isVerified) => {
    await deleteUsers()
    const person = personAt(name, String(isVerified), isVerified)
    const { status, query, fragment } = await travel(name, { person })

    expect(status).toBe(302)
    if (!isVerifiedAs(isVerified)) {
      expect(query['error_code']).toBe('provider_email_needs_verification')
      return
    }
    expect(query).toEqual({})
    expect(fragment).toMatchObject({ provider: name, token_type: 'bearer' })
    const { body: user } = await auth.get('/user', { token: fragment['access_token'] })
    expect(user).toMatchObject({
      email: person.email,
      app_metadata: { provider: name, providers: [name] },
      identities: [{ provider: name, id: subject, email: person.email }],
    })
  })

  it.skipIf(others.includes(name))('reports that there is no address', async () => {
    await deleteUsers()
    const { query } = await travel(name, { person: { email: null, isVerified: false } })
    expect(query).toMatchObject({
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Error getting user email from external provider',
    })
  })

  it('reports that the user did not consent', async () => {
    await deleteUsers()
    const { query, fragment } = await travel(name, {}, (parameters) => {
      for (const one of ['code', 'oauth_token', 'oauth_verifier', 'user']) parameters.delete(one)
      parameters.set('error', 'access_denied')
    })
    expect(query['error']).toBe('access_denied')
    expect(fragment['access_token']).toBeUndefined()
  })

  it.each<Scene>([
    { token: 'html-with-500' },
    { token: 'empty' },
    { token: 'reset' },
    { token: 'error-with-200' },
    ...(hasNoProfile(name) ? [] : [{ token: 'without-id-token', profile: 'html' } as const]),
  ])('reports an invalid response: %j', async (scene) => {
    await deleteUsers()
    const { status, query, location } = await travel(name, scene)
    expect(status).toBe(302)
    expect(query).toMatchObject({ error: 'server_error', error_code: 'unexpected_failure' })
    expect(location.href).not.toMatch(/doctype|html|access-token|se%3Acr/)
    expect(await auth.rows('select 1 from auth.users')).toEqual([])
  })
})
