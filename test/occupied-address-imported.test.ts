import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import {
  addressOf,
  deletionsOf,
  evePassword,
  newPhone,
  occupied,
  signsIn,
  userById,
  usersAt,
} from './support/occupied-addresses.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

describe('an import', () => {
  const importUsers = (...records: object[]) => auth.auth.admin.importUsers(records)

  it.each(['email', 'phone'] as const)(
    'of a user whose %s is occupied stores the user, with its own id',
    async (kind) => {
      const address = addressOf(kind)
      const before = await occupied(auth, address)
      const record = { id: randomUUID(), ...address, [`${kind}Confirm`]: true, role: 'staff' }

      const dry = await auth.auth.admin.importUsers([record], { dryRun: true })
      const first = await importUsers(record)
      const again = await importUsers(record)

      const counts = { imported: 1, alreadyThere: 0, refused: 0, signUpsReplaced: 1 }
      expect([dry, first]).toMatchObject([counts, counts])
      expect(again).toMatchObject({ imported: 0, alreadyThere: 1, signUpsReplaced: 0 })
      expect(await usersAt(auth, address)).toMatchObject([{ id: record.id, role: 'staff' }])
      expect(await userById(auth, before)).toBeUndefined()
      expect(await deletionsOf(auth, before)).toEqual([{ actor_id: null, actor_role: 'host' }])
      expect(await signsIn(auth, address, evePassword)).toBe('invalid_credentials')
    },
  )

  it('without ids and confirmations has the same result every time', async () => {
    const passwordHash = `$2b$10$${'a'.repeat(53)}`
    const records = [
      { ...addressOf('email'), passwordHash },
      addressOf('phone'),
      addressOf('email'),
    ]
    for (const { passwordHash: _hash, ...address } of records as Record<string, string>[]) {
      await occupied(auth, address)
    }

    const first = await importUsers(...records)
    for (const { passwordHash: _hash, ...address } of records as Record<string, string>[]) {
      await occupied(auth, address)
    }
    const again = await importUsers(...records)

    expect(first).toMatchObject({ imported: 3, alreadyThere: 0, signUpsReplaced: 3 })
    expect(again).toMatchObject({ imported: 0, alreadyThere: 3, signUpsReplaced: 0 })
  })

  it('of a user with two occupied addresses assigns both', async () => {
    const [email, phone] = [addressOf('email'), addressOf('phone')]
    const before = [await occupied(auth, email), await occupied(auth, phone)]

    const report = await importUsers({ ...email, ...phone })

    expect(report).toMatchObject({ imported: 1, signUpsReplaced: 2 })
    expect(await Promise.all(before.map((id) => userById(auth, id)))).toEqual([
      undefined,
      undefined,
    ])
  })

  it('assigns nothing where the user is rejected for another reason', async () => {
    const email = addressOf('email')
    const id = await occupied(auth, email)
    const phone = newPhone()
    await importUsers({ phone })

    const report = await importUsers({ id: randomUUID(), ...email, phone })

    expect(report).toMatchObject({ imported: 0, refused: 1, signUpsReplaced: 0 })
    expect(await userById(auth, id)).toMatchObject(email)
  })

  it('assigns nothing for a record that another one of the same import precludes', async () => {
    const [first, second] = [addressOf('email'), addressOf('email')]
    const [deleted, kept] = [await occupied(auth, first), await occupied(auth, second)]
    const phone = newPhone()

    const report = await importUsers({ ...first, phone }, { ...second, phone })

    expect(report).toMatchObject({ imported: 1, refused: 1, signUpsReplaced: 1 })
    expect([await userById(auth, deleted), await userById(auth, kept)]).toMatchObject([
      undefined,
      second,
    ])
  })

  it('stores a user once, of many concurrent imports', async () => {
    const address = addressOf('email')
    await occupied(auth, address)

    const reports = await Promise.all(
      Array.from({ length: 6 }, () => importUsers({ id: randomUUID(), ...address })),
    )

    expect(reports.map(({ imported }) => imported).sort()).toEqual([0, 0, 0, 0, 0, 1])
    expect(await usersAt(auth, address)).toHaveLength(1)
  })
})
