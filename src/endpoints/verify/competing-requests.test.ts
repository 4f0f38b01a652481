import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AddressKind,
  type AddressWorld,
  addressEndpoints,
  clientAt,
  enterCode,
  newAddressOf,
  newRequester,
  openMail,
  startAddressWorld,
  type TestRequester,
} from '../../../test/support/address-requests.ts'
import { openBrowser } from '../../../test/support/fake-realm.ts'
import type { DeliveredMessage } from '../../../test/support/messages.ts'

// The owner of an address requests it, through any endpoint, while an attacker has registered it.

let world: AddressWorld
beforeAll(async () => {
  world = await startAddressWorld()
})
afterAll(() => world.close())

const signUp = ({ name, ip, password }: TestRequester, kind: AddressKind, value: string) =>
  world.auth.post('/signup', { [kind]: value, password, data: { name } }, { ip })

/** Uses the code or link of a message. Returns whether that signs the requester in. */
const signsInBy = async (requester: TestRequester, message: DeliveredMessage): Promise<boolean> =>
  message.type === 'sms'
    ? (await enterCode(world, requester, message)) !== undefined
    : (await openMail(world, requester, message)).has('access_token')

/** Returns the attacker's data that remains on the account with the address. */
async function remainingData(kind: AddressKind, value: string, { password }: TestRequester) {
  const { status } = await world.auth.post('/token?grant_type=password', {
    [kind]: value,
    password,
  })
  const [user] = await world.auth.rows<{ user_metadata: Record<string, unknown> }>(
    `select user_metadata from auth.users where ${kind} = $1`,
    [value],
  )
  return { signsIn: status === 200, name: user?.user_metadata['name'] ?? null }
}

const endpointOf = (wanted: string) => {
  const found = addressEndpoints.find(({ name }) => name === wanted)
  if (!found) throw new Error(`no endpoint ${wanted}`)
  return found
}

const others = addressEndpoints.filter(({ needsOwner }) => !needsOwner)

describe.each(['email', 'phone'] as const)('S02, S03: a registered %s', (kind) => {
  const usable = others.filter(({ kinds }) => kinds.includes(kind))

  it.each(usable.map((endpoint) => [endpoint.name, endpoint] as const))(
    'has no data of the attacker once the owner requests it by %s and opens the older message',
    async (_name, endpoint) => {
      const [ada, eve] = [newRequester('Ada'), newRequester('Eve')]
      const value = newAddressOf(kind)
      await signUp(eve, kind, value)
      const older = await world.auth.messageTo(value)
      await endpoint.request(world, ada, { kind, value })

      expect(await world.auth.messagesTo(value)).toHaveLength(2)
      expect(await signsInBy(ada, older)).toBe(true)
      expect(await remainingData(kind, value, eve)).toEqual({ signsIn: false, name: null })
    },
  )

  it.each(usable.map((endpoint) => [endpoint.name, endpoint] as const))(
    'has no data of the attacker who signs up after the owner requested it by %s',
    async (_name, endpoint) => {
      const [ada, eve] = [newRequester('Ada'), newRequester('Eve')]
      const value = newAddressOf(kind)
      await endpoint.request(world, ada, { kind, value })
      await signUp(eve, kind, value)
      const newer = await world.auth.messageTo(value)

      expect(await signsInBy(ada, newer)).toBe(true)
      expect(await remainingData(kind, value, eve)).toEqual({ signsIn: false, name: null })
    },
  )

  it.each(usable.map((endpoint) => [endpoint.name, endpoint] as const))(
    'becomes the address of the owner by the message that %s sends',
    async (_name, endpoint) => {
      const [ada, eve] = [newRequester('Ada'), newRequester('Eve')]
      const value = newAddressOf(kind)
      await signUp(eve, kind, value)
      await endpoint.request(world, ada, { kind, value })

      expect(await signsInBy(ada, await world.auth.messageTo(value))).toBe(true)
      expect(await remainingData(kind, value, eve)).toMatchObject({ signsIn: false })
      expect((await remainingData(kind, value, eve)).name).not.toBe('Eve')
    },
  )
})

describe.each(['email', 'phone'] as const)('S02: a registered %s', (kind) => {
  it('has no data of the attacker where both requests were stored concurrently', async () => {
    const [ada, eve] = [newRequester('Ada'), newRequester('Eve')]
    const value = newAddressOf(kind)
    await signUp(eve, kind, value)
    const older = await world.auth.messageTo(value)
    await endpointOf('PUT /user, anonymous').request(world, ada, { kind, value })
    // Overlapping statements do not see each other's rows, so neither records the competition.
    await world.auth.rows(`update auth.users set registered_by = 'signup' where ${kind} = $1`, [
      value,
    ])

    expect(await signsInBy(ada, older)).toBe(true)
    expect(await remainingData(kind, value, eve)).toEqual({ signsIn: false, name: null })
  })

  it('keeps the data of its only client after another request of that client', async () => {
    const ada = newRequester('Ada')
    const value = newAddressOf(kind)
    await signUp(ada, kind, value)
    const older = await world.auth.messageTo(value)
    await endpointOf('PUT /user, anonymous').request(world, ada, { kind, value })

    expect(await signsInBy(ada, older)).toBe(true)
    expect(await remainingData(kind, value, ada)).toEqual({ signsIn: true, name: 'Ada' })
  })
})

it('S02: an external sign-in of the client that registered an email does not compete', async () => {
  const ada = newRequester('Ada')
  const value = newAddressOf('email')
  await signUp(ada, 'email', value)
  const older = await world.auth.messageTo(value)
  await endpointOf('external sign-in').request(world, ada, { kind: 'email', value })

  expect(await signsInBy(ada, older)).toBe(true)
  expect(await remainingData('email', value, ada)).toEqual({ signsIn: true, name: 'Ada' })
})

describe('S03: an external sign-in with an unverified email', () => {
  const external = () => endpointOf('external sign-in')

  it('sends a sign-in link to a user who has confirmed the email', async () => {
    const ada = newRequester('Ada')
    const value = newAddressOf('email')
    const { id } = await world.auth.given.user(value)
    await external().request(world, ada, { kind: 'email', value })

    const message = await world.auth.messageTo(value)
    const opened = await openMail(world, ada, message)

    const { body } = await world.auth.get('/user', { token: opened.get('access_token') ?? '' })
    expect([message.type, body.id]).toEqual(['magiclink', id])
  })

  it('gets the announced result where the confirmed user is deleted concurrently', async () => {
    let holderId: string | undefined
    const deleteHolder = async () => {
      const id = holderId
      holderId = undefined
      if (id) await own.auth.auth.admin.deleteUser(id)
    }
    const own = await startAddressWorld({}, { beforeUserCreated: deleteHolder })
    try {
      const value = newAddressOf('email')
      holderId = (await own.auth.given.user(value)).id
      const ada = newRequester('Ada')
      const browser = openBrowser(clientAt(own, ada))
      const { state } = await browser.authorize()
      const person = { sub: 'of-nobody', email: value, email_verified: false }

      const { fragment } = await browser.sendCallback({ state, code: own.realm.codeFor(person) })

      expect([fragment['error_code'], holderId]).toEqual([
        'provider_email_needs_verification',
        undefined,
      ])
    } finally {
      await own.close()
    }
  })

  it('leaves its identity and metadata on no account that another browser confirms', async () => {
    const [ada, eve] = [newRequester('Ada'), newRequester('Eve')]
    const value = newAddressOf('email')
    await signUp(ada, 'email', value)
    await external().request(world, eve, { kind: 'email', value })

    expect(await signsInBy(ada, await world.auth.messageTo(value))).toBe(true)

    const inUse = await world.auth.rows(
      `select i.provider from auth.identities i join auth.users u on u.id = i.user_id
       where u.email = $1 and i.provider = 'keycloak' and i.suspended_at is null`,
      [value],
    )
    expect([inUse, (await remainingData('email', value, eve)).name]).toEqual([[], null])
  })
})
