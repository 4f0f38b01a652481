import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { ListAuditInput } from '../../endpoints/admin-audit/admin-audit.endpoint.ts'
import type { ListUsersInput } from '../../endpoints/admin-users/admin-users.endpoint.ts'
import type { AdminApi } from './admin-api.ts'

let auth: TestAuth
let admin: AdminApi

const names = ['ada', 'bea', 'cleo', 'dora', 'edda', 'fay', 'gwen']

beforeAll(async () => {
  auth = await startTestAuth()
  admin = auth.auth.admin
  for (const [at, name] of names.entries()) {
    await admin.createUser({ email: `${name}@list.test`, userMetadata: { full_name: name } })
    // Some are created at the same instant.
    if (at % 3 > 0) auth.clock.advance(1)
  }
  await admin.createUser({ email: 'far@list.test', audience: 'elsewhere' })
})
afterAll(() => auth.close())

/** Returns all pages of a list, each by the cursor of the previous one. */
async function pagesOf(input: ListUsersInput): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | null | undefined
  do {
    const { users, nextCursor } = await admin.listUsers({ ...input, cursor })
    pages.push(users.map(({ email }) => email?.split('@')[0] ?? ''))
    cursor = nextCursor
  } while (cursor !== null)
  return pages
}

describe('listUsers', () => {
  it('returns every user on one of its pages, in either order', async () => {
    for (const limit of [1, 2, 3, 7, 8]) {
      const down = (await pagesOf({ limit })).flat()
      const up = (await pagesOf({ limit, order: 'asc' })).flat()

      expect(down.toSorted(), `${limit}`).toEqual(names)
      expect(up, `${limit}`).toEqual(down.toReversed())
    }
  })

  it('returns pages of the requested size, the last one without a cursor', async () => {
    const pages = await pagesOf({ limit: 3 })
    const [first] = (await admin.listUsers()).users

    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1])
    expect(await pagesOf({ limit: 7 })).toHaveLength(1)
    expect(first).toEqual(await admin.getUser(first?.id ?? ''))
  })

  it('keeps its position when users are created and deleted', async () => {
    const { users, nextCursor: cursor } = await admin.listUsers({ limit: 3, order: 'asc' })
    const seen = users.map(({ id }) => id)
    await admin.deleteUser(seen[2] ?? '')
    auth.clock.advance(1)
    const last = await admin.createUser({ email: 'zoe@list.test' })

    const rest = await admin.listUsers({ order: 'asc', cursor })
    await admin.deleteUser(last.id)
    await admin.createUser({ email: users[2]?.email ?? '' })

    expect(rest.users).toHaveLength(names.length - 3 + 1)
    expect(rest.users.at(-1)?.id).toBe(last.id)
    expect(rest.users.filter(({ id }) => seen.includes(id))).toEqual([])
  })

  it('distinguishes users that were created within one millisecond', async () => {
    for (const name of ['1', '2', '3', '4', '5']) {
      await admin.createUser({ email: `${name}@micro.test`, audience: 'micro' })
    }
    await auth.rows(
      `update auth.users set created_at = timestamptz '2026-01-01'
        + left(email, 1)::int * interval '1 microsecond' where audience = 'micro'`,
    )

    const pages = await pagesOf({ audience: 'micro', limit: 2, order: 'asc' })

    expect(pages).toEqual([['1', '2'], ['3', '4'], ['5']])
  })

  it('is filtered, and contains one audience', async () => {
    const pages = await pagesOf({ filter: 'd', limit: 2 })

    // Dora and Edda were created at the same instant.
    expect(pages.map((page) => page.toSorted())).toEqual([['dora', 'edda'], ['ada']])
    expect(await pagesOf({ filter: 'GWEN' })).toEqual([['gwen']])
    expect(await pagesOf({ audience: 'elsewhere' })).toEqual([['far']])
    expect(await pagesOf({ audience: 'nowhere' })).toEqual([[]])
  })

  it('contains users by a prefix of their address, in the order of their addresses', async () => {
    const audience = 'prefixed'
    const add = (email: string) => admin.createUser({ email, audience })
    const emails = [
      'mel@list.test',
      'mia.b@list.test',
      'mia@list.test',
      'mia_a@list.test',
      'mo@x.test',
    ]
    for (const email of emails.toReversed()) await add(email)
    const named = emails.map((email) => email.split('@')[0])

    expect((await pagesOf({ audience, emailPrefix: 'M', limit: 2 })).flat()).toEqual(named)
    const down = await pagesOf({ audience, emailPrefix: 'm', limit: 2, order: 'desc' })
    expect(down.flat()).toEqual(named.toReversed())
    expect(await pagesOf({ audience, emailPrefix: 'mia' })).toEqual([['mia.b', 'mia', 'mia_a']])
    expect(await pagesOf({ audience, emailPrefix: 'mia_' })).toEqual([['mia_a']])
    expect(await pagesOf({ audience, emailPrefix: 'mia@list.test' })).toEqual([['mia']])
    expect(await pagesOf({ audience, emailPrefix: 'm%' })).toEqual([[]])
    expect(await pagesOf({ emailPrefix: 'mia' })).toEqual([[]])
  })

  it('has an estimate of all pages, exact for few users', async () => {
    const audience = 'counted'
    for (const name of ['cara', 'carl', 'dan']) {
      await admin.createUser({ email: `${name}@count.test`, audience })
    }
    const count = 'estimated'
    const counted = async (input: ListUsersInput) =>
      (await admin.listUsers({ audience, limit: 1, ...input })).estimatedCount

    expect(await counted({ count })).toBe(3)
    expect(await counted({ count, emailPrefix: 'car' })).toBe(2)
    expect(await counted({ count, filter: 'car' })).toEqual(expect.any(Number))
    expect(await counted({})).toBeUndefined()
  })

  it('accepts a cursor only with the filter that it was issued for (T42)', async () => {
    const { nextCursor: cursor } = await admin.listUsers({ limit: 2, filter: 'a' })
    const { nextCursor: auditCursor } = await admin.listAudit({ limit: 2 })
    expect(cursor).toEqual(expect.any(String))

    const others: ListUsersInput[] = [
      { cursor },
      { cursor, filter: 'A' },
      { cursor, filter: 'a', order: 'asc' },
      { cursor, filter: 'a', audience: 'elsewhere' },
      { cursor, emailPrefix: 'a' },
      { cursor: auditCursor },
      { cursor: 'x' },
      { cursor: `${Buffer.from('["2026-01-01","x"]').toString('base64url')}.` },
    ]
    for (const input of others) {
      await expect(admin.listUsers(input)).rejects.toMatchObject({
        code: 'validation_failed',
        status: 400,
        message: 'cursor: belongs to another list',
      })
    }
    // The page size is not part of the filter.
    await expect(admin.listUsers({ cursor, filter: 'a', limit: 1 })).resolves.toBeDefined()
  })

  it.each([
    ['count', { count: 'exact' }, 'validation_failed'],
    ['limit', { limit: 0 }, 'validation_failed'],
    ['limit', { limit: 1001 }, 'validation_failed'],
    ['limit', { limit: 1.5 }, 'bad_json'],
    ['limit', { limit: '5' }, 'bad_json'],
    ['order', { order: 'up' }, 'validation_failed'],
    ['order', { emailPrefix: 'a', order: 'up' }, 'validation_failed'],
    ['filter', { filter: 'a\0' }, 'validation_failed'],
    ['emailPrefix', { filter: 'a', emailPrefix: 'a' }, 'validation_failed'],
    ['emailPrefix', { emailPrefix: ['a'] }, 'bad_json'],
    ['cursor', { cursor: 7 }, 'bad_json'],
    ['perPage', { perPage: 2 }, 'validation_failed'],
    ['page', { page: 2 }, 'validation_failed'],
  ])('is rejected for a wrong %s: %j', async (field, input, code) => {
    await expect(admin.listUsers(input as ListUsersInput)).rejects.toMatchObject({
      code,
      status: 400,
      message: expect.stringContaining(`${field}: `),
    })
  })
})

describe('listAudit', () => {
  it('returns every entry on one of its pages, the newest first', async () => {
    const ids = await auth.rows<{ id: string }>(
      'select id from auth.audit_entries order by id desc',
    )
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { entries, nextCursor } = await admin.listAudit({ limit: 4, cursor })
      seen.push(...entries.map(({ id }) => id))
      cursor = nextCursor
    } while (cursor !== null)

    expect(seen).toEqual(ids.map(({ id }) => id))
  })

  it('continues after entries that only a newer version defines', async () => {
    const { entries } = await admin.listAudit({ limit: 2 })
    await auth.rows('update auth.audit_entries set action = 30000 where id = $1', [entries[0]?.id])

    const { entries: rest, nextCursor } = await admin.listAudit({ limit: 2 })
    await auth.rows('update auth.audit_entries set action = 3 where action = 30000')

    expect(rest[0]?.id).toBe(entries[1]?.id)
    expect(rest).toHaveLength(2)
    expect(nextCursor).toEqual(expect.any(String))
  })

  it('is filtered, and accepts a cursor only with its filter (T42)', async () => {
    const found = await admin.listAudit({ query: 'action:signed', limit: 2 })
    const { nextCursor: cursor } = found

    expect(found.entries.map(({ action }) => action)).toEqual(['user_signedup', 'user_signedup'])
    expect(found.entries[0]).toMatchObject({ actorRole: 'host', actorId: null, ip: null })
    for (const query of [undefined, 'type:team', 'action:signe'] as const) {
      await expect(admin.listAudit({ query, cursor })).rejects.toMatchObject({
        message: 'cursor: belongs to another list',
      })
    }
    await expect(admin.listAudit({ query: 'red' as never })).rejects.toMatchObject({
      code: 'validation_failed',
      message: 'Invalid query scope: red',
    })
  })

  it('is filtered by actor, affected user, action and time, together', async () => {
    const { user } = await auth.given.session()
    auth.clock.advance(3600)
    const since = auth.clock.now()
    await auth.auth.api.signInWithPassword({ email: user.email ?? '', password: testPassword })
    auth.clock.advance(1)
    await admin.banUser(user.id)
    auth.clock.advance(3600)
    const until = auth.clock.now()
    await admin.unbanUser(user.id)

    const actionsOf = async (input: ListAuditInput) =>
      (await admin.listAudit(input)).entries.map(({ action }) => action)

    expect(await actionsOf({ actorId: user.id.toUpperCase() })).toEqual(['login', 'login'])
    expect(await actionsOf({ actorId: user.id, since })).toEqual(['login'])
    expect(await actionsOf({ userId: user.id, action: 'user_modified' })).toHaveLength(2)
    expect(await actionsOf({ userId: user.id, since, until })).toEqual(['user_modified'])
    expect(await actionsOf({ since, until })).toEqual(['user_modified', 'login'])
    expect(await actionsOf({ until: since.toISOString(), actorId: user.id })).toEqual(['login'])
    expect(await actionsOf({ since: until, query: 'author:host' })).toEqual(['user_modified'])
    expect(await actionsOf({ query: 'type:account', action: 'user_modified' })).toEqual([])
  })

  it('accepts a cursor only with its times and users, and continues within them', async () => {
    const { user } = await auth.given.session()
    await auth.auth.api.signInWithPassword({ email: user.email ?? '', password: testPassword })
    const requested = {
      actorId: user.id,
      until: new Date(auth.clock.now().getTime() + 1),
      limit: 1,
    }

    const { nextCursor: cursor } = await admin.listAudit(requested)
    const second = await admin.listAudit({ ...requested, cursor })

    expect([second.entries.length, second.nextCursor]).toEqual([1, null])
    for (const other of [{ actorId: user.id }, { ...requested, until: '2100-01-01' }]) {
      await expect(admin.listAudit({ ...other, cursor })).rejects.toMatchObject({
        message: 'cursor: belongs to another list',
      })
    }
  })

  it.each([
    ['actorId', { actorId: 'ada' }],
    ['userId', { userId: '1' }],
    ['action', { action: 'flew' }],
    ['action', { action: 'constructor' }],
    ['since', { since: 'yesterday' }],
    ['since', { since: '1' }],
    ['until', { until: '2026-13-01' }],
    ['until', { until: '0001-01-01' }],
  ])('is rejected for a wrong %s: %j', async (field, input) => {
    await expect(admin.listAudit(input as ListAuditInput)).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(`${field}: `),
    })
  })
})
