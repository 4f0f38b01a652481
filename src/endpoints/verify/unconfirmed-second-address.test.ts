import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AddressWorld,
  clientAt,
  newAddressOf,
  newRequester,
  openMail,
  startAddressWorld,
  type TestRequester,
} from '../../../test/support/address-requests.ts'
import { openBrowser } from '../../../test/support/fake-realm.ts'
import { linking, newPerson } from '../../../test/support/linking.ts'

// An unconfirmed address of an account with a confirmed one does not block other users.

let world: AddressWorld
beforeAll(async () => {
  world = await startAddressWorld({ allowUnverifiedSignIns: true })
})
afterAll(() => world.close())

let subjects = 0
const signInAt = async (requester: TestRequester, email: string, isVerified: boolean) => {
  const browser = openBrowser(clientAt(world, requester))
  const { state } = await browser.authorize()
  const sub = `second-address-${++subjects}`
  const person = { sub, email, email_verified: isVerified }
  return browser.sendCallback({ state, code: world.realm.codeFor(person) })
}

const userWith = (email: string) =>
  world.auth.rows<{ id: string; email_confirmed_at: string | null }>(
    'select id, email_confirmed_at from auth.users where email = $1',
    [email],
  )

/** Creates an attacker's account with the unconfirmed email and a confirmed phone. */
async function occupied() {
  const [ada, eve] = [newRequester('Ada'), newRequester('Eve')]
  const [email, phone] = [newAddressOf('email'), newAddressOf('phone')]
  const { fragment } = await signInAt(eve, email, false)
  const session = { token: fragment['access_token'] ?? '', ip: eve.ip }
  const [account] = await userWith(email)
  await world.auth.put('/user', { phone }, session)
  const { code } = await world.auth.messageTo(phone)
  const proof = { type: 'phone_change', phone, token: code }
  expect((await world.auth.post('/verify', proof, { ip: eve.ip })).status).toBe(200)
  return { ada, eve, email, phone, id: account?.id ?? '' }
}

describe('S11: an unconfirmed email of an account with a confirmed phone', () => {
  it('is pending as a change of the account', async () => {
    const { id, email, phone } = await occupied()

    expect(await world.auth.auth.admin.getUser(id)).toMatchObject({
      email: null,
      newEmail: email,
      phone,
    })
  })

  it('can be signed up by its owner, with a mail', async () => {
    const { ada, email } = await occupied()
    const { password, ip } = ada
    const before = (await world.auth.messagesTo(email)).length
    await world.auth.post('/signup', { email, password }, { ip })

    expect(await world.auth.messagesTo(email)).toHaveLength(before + 1)
    expect(
      (await openMail(world, ada, await world.auth.messageTo(email))).has('access_token'),
    ).toBe(true)
  })

  it('belongs to the user for whom a provider has verified it', async () => {
    const { ada, id, email } = await occupied()

    const { fragment } = await signInAt(ada, email, true)

    const [user] = await userWith(email)
    expect(fragment['access_token']).toBeTruthy()
    expect(user?.id).not.toBe(id)
    expect(user?.email_confirmed_at).toBeTruthy()
  })
})

describe('S11: an unconfirmed email that an operator has stored with a confirmed phone', () => {
  const stored = async () => {
    const [email, phone] = [newAddressOf('email'), newAddressOf('phone')]
    const { id } = await world.auth.auth.admin.createUser({ email, phone, phoneConfirm: true })
    return { ada: newRequester('Ada'), id, email, phone }
  }

  const released = async (id: string, email: string) =>
    expect(await world.auth.auth.admin.getUser(id)).toMatchObject({ email: null, newEmail: email })

  it('is released to the account that confirms it by a change of address', async () => {
    const { ada, id, email } = await stored()
    const { accessToken } = await world.auth.given.session(newAddressOf('email'))
    await world.auth.put('/user', { email }, { token: accessToken, ip: ada.ip })

    const proved = await openMail(world, ada, await world.auth.messageTo(email))

    expect(proved.has('access_token')).toBe(true)
    await released(id, email)
  })

  it('is released to a provider that has verified it', async () => {
    const { ada, id, email } = await stored()

    const { fragment } = await signInAt(ada, email, true)

    expect(fragment['access_token']).toBeTruthy()
    await released(id, email)
  })

  it.each([true, false])('is released to an operator (confirmed: %s)', async (emailConfirm) => {
    const { id, email } = await stored()

    const made = await world.auth.auth.admin.createUser({ email, emailConfirm })

    expect(made.email).toBe(email)
    await released(id, email)
  })
})

it('S11: an operator who confirms a phone leaves the registered email to its owner', async () => {
  const [ada, eve] = [newRequester('Ada'), newRequester('Eve')]
  const [email, phone] = [newAddressOf('email'), newAddressOf('phone')]
  await world.auth.post('/signup', { email, password: eve.password }, { ip: eve.ip })
  const [account] = await userWith(email)
  await world.auth.auth.admin.updateUser(account?.id ?? '', { phone, phoneConfirm: true })

  const { fragment } = await signInAt(ada, email, true)

  expect(fragment['access_token']).toBeTruthy()
  expect((await userWith(email))[0]?.id).not.toBe(account?.id)
})

it('S11: an unconfirmed phone becomes a pending change once linking confirms an email', async () => {
  const ada = newRequester('Ada')
  const phone = newAddressOf('phone')
  await world.auth.post('/signup', { phone, password: ada.password }, { ip: ada.ip })
  const { code } = await world.auth.messageTo(phone)
  const { body } = await world.auth.post('/verify', { type: 'sms', phone, token: code })
  // An account that signed in unverified: the phone is not confirmed.
  await world.auth.rows(
    `update auth.users set phone_confirmed_at = null, registered_by = 'signup', registered_from = $2
     where phone = $1`,
    [phone, ada.ip],
  )
  const person = newPerson()
  await linking(clientAt(world, ada), world.realm).link(body.access_token, person)

  expect(await world.auth.auth.admin.getUser(body.user.id)).toMatchObject({
    email: person.email,
    phone: null,
    newPhone: phone,
  })
})

it('S02: an account whose change of address competes keeps no metadata of its user', async () => {
  const [ada, eve] = [newRequester('Ada'), newRequester('Eve')]
  const [own, wanted] = [newAddressOf('email'), newAddressOf('email')]
  const { fragment } = await signInAt(eve, own, false)
  const session = { token: fragment['access_token'] ?? '', ip: eve.ip }
  await world.auth.put('/user', { email: wanted, data: { name: 'Eve' } }, session)
  const older = await world.auth.messageTo(wanted)
  await world.auth.post('/signup', { email: wanted, password: ada.password }, { ip: ada.ip })

  expect((await openMail(world, ada, older)).has('access_token')).toBe(true)
  const [user] = await world.auth.rows<{ user_metadata: Record<string, unknown> }>(
    'select user_metadata from auth.users where email = $1',
    [wanted],
  )
  expect(user?.user_metadata['name']).toBeUndefined()
})

it('S02: metadata of a session is removed with that of the contested sign-up', async () => {
  const [ada, eve] = [newRequester('Ada'), newRequester('Eve')]
  const email = newAddressOf('email')
  const { fragment } = await signInAt(eve, email, false)
  const session = { token: fragment['access_token'] ?? '', ip: eve.ip }
  await world.auth.put('/user', { data: { name: 'Eve', kept: 1 } }, session)
  await world.auth.put('/user', { data: { kept: null } }, session)
  const keysOf = () =>
    world.auth.rows('select registered_keys from auth.users where email = $1', [email])
  expect(await keysOf()).toMatchObject([{ registered_keys: expect.not.arrayContaining(['kept']) }])
  await world.auth.post('/otp', { email }, { ip: ada.ip })

  await openMail(world, ada, await world.auth.messageTo(email))

  const [user] = await world.auth.rows<{ user_metadata: Record<string, unknown> }>(
    'select user_metadata from auth.users where email = $1 and email_confirmed_at is not null',
    [email],
  )
  expect(user).toBeDefined()
  expect(user?.user_metadata['name']).toBeUndefined()
})
