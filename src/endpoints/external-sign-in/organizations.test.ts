import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FakeRealm,
  openBrowser,
  realmSettings,
  signInAtRealm,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { answerJson, startWebServer, type WebServer } from '../../../test/support/web-server.ts'

interface Profile {
  id: string
  email: string
  organization_id?: string | null
  first_name?: string
}

const profiles = new Map<string, Profile>()
let workos: WebServer
let realm: FakeRealm
let bound: MessagingAuth
let unbound: MessagingAuth

beforeAll(async () => {
  workos = await startWebServer((response, { text }) => {
    const profile = profiles.get(new URLSearchParams(text).get('code') ?? '')
    answerJson(response, 200, { access_token: 'token', profile })
  })
  realm = await startFakeRealm()
  const client = { clientId: 'client', clientSecret: 'secret', url: workos.url }
  const organizations = { org_01: ['Example.TEST'], org_02: ['example.test', 'bücher.test'] }
  const keycloak = realmSettings(realm)
  bound = await startMessagingAuth({
    providers: { workos: { ...client, organizations }, keycloak },
  })
  unbound = await startMessagingAuth({ providers: { workos: client } })
})
afterAll(async () => {
  await Promise.all([bound.close(), unbound.close()])
  await Promise.all([workos.close(), realm.close()])
})

let count = 0
const newAddress = (domain = 'example.test') => `ada-${++count}@${domain}`

async function signIn(
  auth: MessagingAuth,
  email: string,
  organization: string | null,
  changes: Partial<Profile> = {},
) {
  const code = `code-${++count}`
  profiles.set(code, { id: `prof_${count}`, email, organization_id: organization, ...changes })
  const browser = openBrowser(auth)
  const { state } = await browser.authorize({ provider: 'workos' })
  const { query, fragment } = await browser.sendCallback({ state, code })
  const token = fragment['access_token']
  const user = token === undefined ? null : (await auth.get('/user', { token })).body
  return { error: query['error_code'] ?? null, user }
}

const needsVerification = 'provider_email_needs_verification'

describe('S08: an address of a directory that anyone can run', () => {
  it('is not verified without a binding, and finds no account', async () => {
    const { id, email } = await unbound.given.user()

    const taken = await signIn(unbound, email ?? '', 'org_01')
    const fresh = await signIn(unbound, newAddress(), 'org_01')

    expect([taken.error, fresh.error]).toEqual([needsVerification, needsVerification])
    expect(
      (await unbound.auth.admin.getUser(id)).identities.map(({ provider }) => provider),
    ).toEqual(['email'])
  })

  it.each([
    ['another organization', 'example.test', 'org_03'],
    ['no organization', 'example.test', null],
    ['a member of every object', 'example.test', '__proto__'],
    ['a domain of another organization', 'xn--bcher-kva.test', 'org_01'],
    ['a subdomain', 'mail.example.test', 'org_01'],
    ['a longer domain', 'example.test.evil.test', 'org_01'],
    ['a domain with the same end', 'notexample.test', 'org_01'],
  ])('is not verified in %s', async (_case, domain, organization) => {
    expect((await signIn(bound, newAddress(domain), organization)).error).toBe(needsVerification)
  })

  it.each([
    ['example.test', 'org_01'],
    ['EXAMPLE.test', 'org_01'],
    ['example.test', 'org_02'],
    ['xn--bcher-kva.test', 'org_02'],
  ])('is verified in a domain of its organization: %s in %s', async (domain, organization) => {
    const email = newAddress(domain)

    const { error, user } = await signIn(bound, email, organization)

    expect(error).toBeNull()
    expect(user).toMatchObject({
      email: email.toLowerCase(),
      identities: [{ identity_data: { email_verified: true } }],
    })
    expect(user.user_metadata).not.toHaveProperty('linking_domain')
  })

  it('signs in only to accounts of its organization', async () => {
    const { id, email } = await bound.given.user(newAddress())
    const address = email ?? ''
    const first = await signIn(bound, address, 'org_01')
    const again = await signIn(bound, address, 'org_01')
    const other = await signIn(bound, address, 'org_02')
    const byKeycloak = await signInAtRealm(
      bound,
      realm,
      { sub: `kc-${address}`, email: address, email_verified: true },
      { provider: 'keycloak' },
    )
    const token = byKeycloak.fragment['access_token']

    expect(again.user.id).toBe(first.user.id)
    expect(again.user.identities).toHaveLength(2)
    expect(new Set([id, first.user.id, other.user.id]).size).toBe(3)
    expect((await bound.get('/user', { token })).body.id).toBe(id)
    expect((await bound.auth.admin.getUser(id)).identities.map(({ provider }) => provider)).toEqual(
      ['email', 'keycloak'],
    )
  })

  it('is not found by another provider, also where the rest of the profile is too large to store', async () => {
    const address = newAddress()
    const large = { first_name: 'x'.repeat(20_000) }
    const { user } = await signIn(bound, address, 'org_01', large)
    const { fragment } = await signInAtRealm(
      bound,
      realm,
      { sub: `kc-${address}`, email: address, email_verified: true },
      { provider: 'keycloak' },
    )
    const token = fragment['access_token']

    expect((await bound.get('/user', { token })).body.id).not.toBe(user.id)
    expect((await signIn(bound, address, 'org_01')).user.id).toBe(user.id)
  })
})
