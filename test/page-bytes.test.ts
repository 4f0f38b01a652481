import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxPageBytes } from '../src/platform/sql/page-by-key.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

const users = 60

let auth: TestAuth
let token: string

beforeAll(async () => {
  auth = await startTestAuth()
  token = await auth.given.serviceToken()
  // 6 MB of metadata, as it may have been imported before there was a limit.
  await auth.rows(
    `insert into auth.users (id, audience, role, email, app_metadata, user_metadata,
       email_change_confirm_status, is_anonymous, is_sso_user, created_at, updated_at)
     select gen_random_uuid(), 'authenticated', 'authenticated', 'ada' || n || '@example.test',
       '{}', jsonb_build_object('full_name', repeat('x', 100000)), 0, false, false,
       now() - n * interval '1 second', now()
     from generate_series(1, ${users}) n`,
  )
  await auth.rows(
    `insert into auth.audit_entries (id, action, actor_id, created_at)
     select gen_random_uuid(), 1, id, now() from auth.users`,
  )
})
afterAll(() => auth.close())

/** Reads a list in code page by page, and returns its items and the bytes of the largest page. */
async function readAll<Item>(page: (cursor: string | null) => Promise<[Item[], string | null]>) {
  const items: Item[] = []
  let cursor: string | null = null
  let pages = 0
  let largest = 0
  do {
    const [found, next]: [Item[], string | null] = await page(cursor)
    items.push(...found)
    largest = Math.max(largest, JSON.stringify(found).length)
    cursor = next
    pages += 1
  } while (cursor !== null && pages < 20)
  return { items, pages, largest }
}

describe.each(['/admin/users', '/admin/audit'])('H17: a page of %s', (path) => {
  const get = (query: string) => auth.get(`${path}?${query}`, { token })

  it('is rejected where it needs too much memory, with a size that would fit', async () => {
    const { status, body } = await get(`per_page=${users}`)

    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
    const fits = Number(/; (\d+) would fit in per_page$/.exec(body.msg)?.[1])
    expect(fits).toBeGreaterThan(30)
    const smaller = await get(`per_page=${fits}`)
    expect(smaller.status).toBe(200)
    expect(smaller.text.length).toBeLessThan(maxPageBytes * 1.1)
    expect(smaller.headers.get('x-total-count')).toBe(String(users))
    expect(smaller.headers.get('content-type')).toBe('application/json;charset=UTF-8')
  })
})

describe('H17: a page of a list in code', () => {
  it.each([
    ['by time', {}],
    ['by address', { emailPrefix: 'ada' }],
  ])('ends early where it is full, and the next one continues: users %s', async (_, question) => {
    const { items, pages, largest } = await readAll(async (cursor) => {
      const page = await auth.auth.admin.listUsers({ ...question, limit: 1_000, cursor })
      return [page.users, page.nextCursor]
    })

    expect(new Set(items.map(({ id }) => id)).size).toBe(users)
    expect([items.length, pages]).toEqual([users, 2])
    expect(largest).toBeLessThan(maxPageBytes * 1.1)
  })

  it('ends early where it is full, and the next one continues: the audit log', async () => {
    const { items, pages, largest } = await readAll(async (cursor) => {
      const page = await auth.auth.admin.listAudit({ limit: 1_000, cursor })
      return [page.entries, page.nextCursor]
    })

    expect(new Set(items.map(({ id }) => id)).size).toBe(users)
    expect([items.length, pages]).toEqual([users, 2])
    expect(largest).toBeLessThan(maxPageBytes * 1.1)
  })

  it('contains at least one user of any size', async () => {
    await auth.rows(
      `update auth.users set user_metadata = jsonb_build_object('a', repeat('x', 5000000))
       where email = 'ada1@example.test'`,
    )

    const { users: found, nextCursor } = await auth.auth.admin.listUsers({ limit: 10 })

    expect([found.length, found[0]?.email]).toEqual([1, 'ada1@example.test'])
    expect(nextCursor).not.toBeNull()
  })
})
