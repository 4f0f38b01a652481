import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { exportedAtOnce } from '../../platform/sql/export-rows.sql.ts'

// S18: an export keeps a page of rows in memory, for any amount of stored data.

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

describe('an export', () => {
  it('S18: reads rows in pages, each once and none left out', async () => {
    const { user } = await auth.given.session()
    const count = 2 * exportedAtOnce + 5
    await auth.rows(
      `insert into auth.audit_entries (id, created_at, action, actor_id)
        select gen_random_uuid(), now(), 1, $1 from generate_series(1, $2::int)`,
      [user.id, count],
    )
    const parts: string[] = []

    for await (const part of await auth.auth.admin.exportUser(user.id)) parts.push(part)

    const person = JSON.parse(parts.join(''))
    const ids = new Set(person.auditEntries.map(({ id }: { id: string }) => id))
    const stored = await auth.rows(
      'select 1 from auth.audit_entries where actor_id = $1 or user_id = $1',
      [user.id],
    )
    expect([ids.size, person.auditEntries.length]).toEqual([stored.length, stored.length])
    expect(stored.length).toBeGreaterThan(count)
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(exportedAtOnce * 500)
    expect(person.user.email).toBe(user.email)
  })

  it('S18: reads nothing before it is consumed, and nothing once its consumer stops', async () => {
    const { user } = await auth.given.session()
    const exporting = await auth.auth.admin.exportUser(user.id)
    await auth.rows('alter table auth.passkeys rename to hidden_passkeys')
    const parts: string[] = []
    for await (const part of exporting) {
      parts.push(part)
      if (parts.length === 3) break
    }
    await auth.rows('alter table auth.hidden_passkeys rename to passkeys')

    expect(parts[0]).toContain(user.id)
    expect(await exporting.read()).toMatchObject({ user: { id: user.id }, passkeys: [] })
  })
})
