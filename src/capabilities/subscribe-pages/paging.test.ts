import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PagesAdmin, startTestPages, type TestPages } from '../../../test/support/pages.ts'

let pages: TestPages
let maria: PagesAdmin

beforeAll(async () => {
  pages = await startTestPages()
  maria = await pages.admin()
})
afterAll(() => pages.close())

const list = async (query: string) =>
  (await pages.ask('GET', `/subscribe-pages${query}`, { key: maria.key })).body

it('counts pages, not entries: 60 pages with 30 entries each are returned as 25, 25 and 10', async () => {
  const data = Array.from({ length: 30 }, (_, at) => ({ key: `k${at}`, value: `v${at}` }))
  for (let at = 0; at < 60; at += 1) await pages.page(maria.key, { title: `Page ${at}`, data })

  const counts: number[] = []
  const titles: string[] = []
  for (let after = 0, more = true; more; ) {
    const { items, pagination } = await list(`?after_id=${after}`)
    counts.push(items.length)
    titles.push(...items.map(({ title }: { title: string }) => title))
    for (const item of items) expect(item.data).toHaveLength(30)
    expect(pagination).toMatchObject({ total: 60, limit: 25, has_more: items.length === 25 })
    after = pagination.next_cursor
    more = pagination.has_more
  }

  expect(counts).toEqual([25, 25, 10])
  expect(titles).toEqual(Array.from({ length: 60 }, (_, at) => `Page ${at}`))
})

it('reports more after a full page, even if there are none', async () => {
  const { items, pagination } = await list('?limit=60')

  expect(items).toHaveLength(60)
  expect(pagination).toEqual({ total: 60, limit: 60, has_more: true, next_cursor: items[59].id })
  expect(await list(`?after_id=${items[59].id}`)).toMatchObject({
    items: [],
    pagination: { total: 60, has_more: false, next_cursor: null },
  })
})

it('truncates a list that would need too much memory, and continues after it', async () => {
  const [last] = (await list('?after_id=0&limit=100')).items.slice(-1)
  const value = 'x'.repeat(65_000)
  const data = Array.from({ length: 15 }, (_, at) => ({ key: `k${at}`, value }))
  const ids: number[] = []
  for (let at = 0; at < 6; at += 1) ids.push((await pages.page(maria.key, { data })).id)

  const first = await list(`?after_id=${last.id}&limit=100`)
  const second = await list(`?after_id=${first.pagination.next_cursor}&limit=100`)

  const found = [...first.items, ...second.items].map(({ id }: { id: number }) => id)
  expect(found).toEqual(ids)
  expect(first.pagination.has_more).toBe(true)
  expect(second.pagination.has_more).toBe(false)
  expect(first.items.length).toBeLessThan(6)
})
