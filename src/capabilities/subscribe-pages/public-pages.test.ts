import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestPages, type TestPages } from '../../../test/support/pages.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { createPublicPages } from './public-pages.ts'

let pages: TestPages
let key: string

beforeAll(async () => {
  pages = await startTestPages({
    rateLimits: { subscribePages: 1, emailSent: 'off', smsSent: 'off' },
  })
  key = (await pages.admin()).key
})
afterAll(() => pages.close())

const read = (id: number, ip?: string) =>
  pages.ask('GET', `/subscribe-pages/${id}`, { ...(ip && { ip }) })

describe('S31: a public page', () => {
  it('has a limit per client', async () => {
    const { id } = await pages.page(key)
    const statuses = []
    for (let count = 0; count < 31; count += 1) {
      statuses.push((await read(id, '198.51.100.66')).status)
    }

    const limited = await read(id, '198.51.100.66')
    expect(statuses.slice(0, 30)).toEqual(Array(30).fill(200))
    expect([limited.status, Number(limited.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await read(id, '203.0.113.1')).status).toBe(200)
  })

  it('is served to each reader in its current version', async () => {
    const { id } = await pages.page(key, { title: 'Before' })
    const before = await read(id)
    await pages.ask('PUT', `/subscribe-pages/${id}`, {
      key,
      body: { title: 'After', active: true },
    })
    const after = await read(id)
    await pages.ask('PUT', `/subscribe-pages/${id}`, {
      key,
      body: { title: 'After', active: false },
    })

    expect([before.body.title, after.body.title]).toEqual(['Before', 'After'])
    expect((await read(id)).status).toBe(404)
  })

  it('is cached once per version, and read from the database without its content', async () => {
    const { id } = await pages.page(key, { data: [{ key: 'a', value: 'x'.repeat(60_000) }] })
    const { database } = await pages.auth.deps()
    const ctx = { sql: database.sql } as AuthContext
    const publicBytes = createPublicPages()

    const all = await Promise.all(Array.from({ length: 20 }, () => publicBytes(ctx, id)))

    expect(new Set(all).size).toBe(1)
    expect(await publicBytes(ctx, id)).toBe(all[0])
    await pages.ask('DELETE', `/subscribe-pages/${id}`, { key })
    expect(await publicBytes(ctx, id)).toBeNull()
  })
})
