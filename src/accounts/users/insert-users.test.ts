import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { systemRandom } from '../../platform/kit/random.ts'
import { rowsOf } from '../../platform/sql/tables.ts'
import { findById } from './find-user.sql.ts'
import { insertUsers } from './insert-user.sql.ts'
import { newUser } from './new-user.ts'
import type { Identity, User } from './user.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const then = new Date('2021-03-04T05:06:07.089Z')
const passwordHash = `$2b$10$${'a'.repeat(53)}`

let made = 0

/** Returns a user with an email address, and with these changes. */
function userToInsert(changes: Partial<User> = {}): User {
  const address = { kind: 'email', value: `moved${++made}@example.test`, confirmed: true } as const
  const given = { addresses: [address], audience: 'authenticated', role: 'authenticated' }
  return { ...newUser({ random: systemRandom, now: then }, given), ...changes }
}

const github = (userId: string, subject: string): Identity => ({
  id: systemRandom.uuid(),
  userId,
  provider: 'github',
  subject,
  identityData: { subject },
  lastSignInAt: null,
  suspendedAt: null,
  createdAt: then,
  updatedAt: then,
})

const entryAbout = (userId: string) => ({
  id: systemRandom.uuid(),
  created_at: then.toISOString(),
  action: 3,
  actor_role: 'host',
  user_id: userId,
})

async function insert(...users: User[]): Promise<string[]> {
  const { database } = await auth.deps()
  const given = users.map((user) => ({ user, passwordHash }))
  const entries = rowsOf('audit_entries', ...users.map(({ id }) => entryAbout(id)))
  return [...(await insertUsers(database.sql, given, entries))]
}

const idsOf = (...users: User[]) => users.map(({ id }) => id)

const entriesAbout = async (...users: User[]) => {
  const text = 'select user_id from auth.audit_entries where user_id = any($1)'
  const rows = await auth.rows<{ user_id: string }>(text, [idsOf(...users)])
  return rows.map(({ user_id }) => user_id).sort()
}

it('stores all properties of a user', async () => {
  const user = userToInsert({
    audience: 'elsewhere',
    role: 'staff',
    phone: '4915112345678',
    phoneConfirmedAt: then,
    invitedAt: then,
    lastSignInAt: then,
    bannedUntil: new Date('2999-01-01T00:00:00Z'),
    appMetadata: { plan: 'pro' },
    userMetadata: { full_name: 'Ada "A." Lovelace\n' },
    updatedAt: new Date('2022-01-01T00:00:00Z'),
  })
  user.identities = [github(user.id, '583231')]

  const stored = await insert(user)

  const { database } = await auth.deps()
  expect(stored).toEqual([user.id])
  expect(await findById(database.sql, user.id)).toMatchObject({ user, passwordHash })
})

it('stores a thousand in one statement, with an entry for each', async () => {
  const users = Array.from({ length: 1000 }, () => userToInsert())

  const stored = await insert(...users)

  expect(stored.sort()).toEqual(idsOf(...users).sort())
  expect(await entriesAbout(...users)).toEqual(stored)
})

it('leaves out users with a value of an existing user, with all their rows, and stores the others', async () => {
  const owner = userToInsert({ phone: '4915100000001' })
  owner.identities.push(github(owner.id, 'taken'))
  await insert(owner)
  const free = userToInsert()
  const sameSubject = userToInsert()
  sameSubject.identities = [github(sameSubject.id, 'their own'), github(sameSubject.id, 'taken')]
  const sameIdentity = userToInsert()
  sameIdentity.identities = owner.identities.slice(0, 1).map(({ id }) => ({
    ...github(sameIdentity.id, 'other'),
    id,
  }))
  const others = [
    userToInsert({ id: owner.id }),
    userToInsert({ email: owner.email }),
    userToInsert({ phone: owner.phone }),
    sameSubject,
    sameIdentity,
  ]

  const stored = await insert(...others.slice(0, 2), free, ...others.slice(2))

  expect(stored).toEqual([free.id])
  expect(await entriesAbout(owner, free, ...others)).toEqual(idsOf(owner, free).sort())
  const left = await auth.rows(`select 1 from auth.identities where subject = 'their own'`)
  expect(left).toEqual([])
})

it('stores the first of two users with the same value', async () => {
  const [first, second, third] = [userToInsert(), userToInsert(), userToInsert()]
  second.email = first.email
  first.identities = [github(first.id, 'wanted')]
  third.identities = [github(third.id, 'wanted')]

  expect(await insert(first, second, third)).toEqual([first.id])
})

it('accepts a user of single sign-on with the address of another user', async () => {
  const { database } = await auth.deps()
  const owner = userToInsert()
  await insert(owner)
  const user = userToInsert({ email: owner.email })

  const given = [{ user: { ...user, isSsoUser: true }, passwordHash: null }]
  const stored = await insertUsers(database.sql, given, rowsOf('audit_entries'))

  expect([...stored]).toEqual([user.id])
})
