import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  clubMember,
  clubSettings,
  type FakeRealm,
  openBrowser,
  startFakeRealm,
} from '../../../../test/support/fake-realm.ts'
import { type Linking, linking } from '../../../../test/support/linking.ts'
import { foreignMarkupIn, hostileTexts, textIn } from '../../../../test/support/page-markup.ts'
import { startTestAuth, type TestAuth } from '../../../../test/support/test-auth.ts'

const allHostile = hostileTexts.join(' ')
let realm: FakeRealm
let auth: TestAuth
let identities: Linking

beforeAll(async () => {
  realm = await startFakeRealm()
  const club = clubSettings(realm, { emailOptional: true })
  auth = await startTestAuth({
    security: { manualLinkingEnabled: true },
    email: { autoconfirm: true, from: { address: 'no-reply@app.example.test', name: allHostile } },
    providers: {
      club: {
        ...club,
        ...(club.definition && { definition: { ...club.definition, label: allHostile } }),
      },
    },
  })
  identities = linking(auth, realm)
})
afterAll(async () => {
  await auth?.close()
  await realm?.close()
})

it.each(hostileTexts)('%s is text as the name of the account at the provider', async (hostile) => {
  const { accessToken } = await auth.given.session()
  const state = await identities.startLinking(accessToken, { provider: 'club' })
  const person = clubMember(`club ${hostile}`, [], { name: hostile })
  const { status, headers, text } = await identities.callback(state, person, openBrowser(auth))

  expect([status, headers.get('location')]).toEqual([200, null])
  const policy = headers.get('content-security-policy') ?? ''
  const [, nonce = ''] = /script-src 'nonce-(\w{32})'/.exec(policy) ?? []
  expect(nonce).not.toBe('')
  expect(policy).not.toContain('unsafe')
  expect(foreignMarkupIn(text, nonce)).toEqual([])
  expect(textIn(text)).toContain(hostile)
  expect(textIn(text).split(allHostile).length).toBeGreaterThan(5)
  expect(text.match(/<script/g)).toHaveLength(1)
})
