import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { importUsers } from '../../import/users/import-users.ts'
import { openCall } from './call-options.ts'
import { importedFields, readUserToImport } from './user-to-import.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

it('reads the response of GET /admin/users, and returns the same data', async () => {
  const { admin, api } = auth.auth
  const token = await auth.given.serviceToken()
  const list = async () => (await auth.get('/admin/users', { token })).body.users
  await admin.createUser({ email: 'ada@wire.test', phone: '4915112345', emailConfirm: true })
  await admin.createUser({
    phone: '4915167890',
    phoneConfirm: true,
    banDuration: '24h',
    role: 'staff',
    userMetadata: { full_name: 'Bea' },
    appMetadata: { plan: 'pro' },
  })
  auth.clock.advance(10)
  await api.signUp({ email: 'cleo@wire.test', password: testPassword })
  auth.clock.advance(10)
  const before = await list()
  for (const { id } of before) await admin.deleteUser(id)

  const source = async function* () {
    for (const [place, record] of before.entries()) {
      yield { place, read: () => readUserToImport(record, 'wire') }
    }
  }
  const context = openCall(await auth.deps())
  const report = await importUsers(context, { role: 'host' }, source(), {})

  expect(report).toMatchObject({ imported: 3, refused: 0 })
  expect(await list()).toEqual(before)
})

it('accepts the field names of the wire', () => {
  const read = () => readUserToImport({ email: 'x@wire.test', email_confirm: 'yes' }, 'wire')

  expect(read).toThrow('email_confirm: has to be boolean')
  expect([...importedFields.keys()]).not.toContain('emailConfirm')
})

it.each([
  ['pasword_hash', 'wire', 'password_hash'],
  ['passwordHash', 'wire', 'password_hash'],
  ['email_confirmed', 'wire', 'email_confirm'],
  ['raw_user_meta_data', 'wire', 'user_metadata'],
  ['password_hash', 'code', 'passwordHash'],
] as const)(
  'rejects the misspelled field %s of the %s, and names the meant one',
  (name, spelling, meant) => {
    const read = () => readUserToImport({ email: 'x@wire.test', [name]: 'x' }, spelling)

    expect(read).toThrow(`${name}: is not a field; did you mean ${meant}?`)
  },
)

it('names the identity that contains a misspelled field', () => {
  const identities = [
    { provider: 'github', id: '1' },
    { provider: 'gitlab', provider_id: '2' },
  ]
  const read = () => readUserToImport({ identities, email: 'x@wire.test' }, 'wire')

  expect(read).not.toThrow()
  Object.assign(identities[0] ?? {}, { identity_dta: {} })
  expect(read).toThrow('identities.0.identity_dta: is not a field; did you mean identity_data?')
})

it('permits a name that is similar to a field that the record contains, and the fields of other services', () => {
  const others = [
    'name',
    'picture',
    'email_verified',
    'confirmed_at',
    'last_ip',
    'locale',
    'banned',
  ]
  const record = {
    email: 'x@wire.test',
    password_hash: null,
    password_salt: 'x',
    ...Object.fromEntries(others.map((name) => [name, 'x'])),
  }

  expect(readUserToImport(record, 'wire')).toEqual({ email: 'x@wire.test' })
})

it('leaves out unknown fields, also inherited ones', () => {
  const record = JSON.parse('{"toString": 1, "identities": [{"provider": "github", "valueOf": 2}]}')

  expect(readUserToImport(record, 'code')).toMatchObject({ identities: [{ provider: 'github' }] })
})
