import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestPages, type TestPages } from '../../../test/support/pages.ts'
import { type NewSubscriberList, SubscribePagesError } from './subscribe-pages.ts'

let pages: TestPages

beforeAll(async () => {
  pages = await startTestPages()
})
afterAll(() => pages.close())

const lookUp = (id: number) => pages.ask('GET', `/lists/${id}/public`)

describe('a public list', () => {
  it('is readable by any client, with the fields that a form shows', async () => {
    const { lists } = pages.pages
    const list = await lists.create({
      name: 'Product news',
      description: 'Once a month',
      listPosition: 1,
      public: true,
    })

    const { status, body } = await lookUp(list.id)

    expect(status).toBe(200)
    expect(body).toEqual({
      id: list.id,
      name: 'Product news',
      description: 'Once a month',
      list_position: 1,
    })
  })

  it('has neither description nor position by default', async () => {
    const { id } = await pages.pages.lists.create({ name: 'Plain', public: true })

    const { body } = await lookUp(id)

    expect(body).toEqual({ id, name: 'Plain', description: null, list_position: null })
  })

  it('that is not public is not found, like one that never existed', async () => {
    const { id } = await pages.pages.lists.create({ name: 'Secret' })

    const hidden = await lookUp(id)
    const missing = await lookUp(999_999)

    expect([hidden.status, hidden.text]).toEqual([404, missing.text])
    expect(missing.body).toEqual({ message: 'Subscriber list not found.' })
  })
})

describe('the management of lists', () => {
  it('creates, changes, lists by position and removes them', async () => {
    const { lists } = pages.pages
    const second = await lists.create({ name: 'Second', listPosition: 20 })
    const first = await lists.create({ name: 'First', listPosition: 10, description: 'x' })

    const updated = await lists.update(first.id, { public: true, description: null })

    expect(updated).toEqual({ ...first, public: true, description: null })
    const known = (await lists.list()).filter(({ id }) => [first.id, second.id].includes(id))
    expect(known).toEqual([updated, second])
    expect(await lists.update(second.id, { listPosition: undefined, name: 'Other' })).toEqual({
      ...second,
      name: 'Other',
    })
    expect([await lists.remove(first.id), await lists.remove(first.id)]).toEqual([true, false])
    expect(await lists.update(first.id, { name: 'Gone' })).toBeNull()
    expect(await lists.update(2 ** 40, { name: 'Gone' })).toBeNull()
  })

  it('leaves an audit entry for each change, and none for a list that does not exist', async () => {
    const { lists } = pages.pages
    const { id } = await lists.create({ name: 'Audited' })
    await lists.update(id, { public: true })
    await lists.remove(id)
    await lists.update(id, { public: true })
    await lists.remove(id)

    const { entries } = await pages.auth.auth.admin.listAudit({ limit: 100 })

    const own = entries.filter(({ traits }) => traits?.['list_id'] === id)
    // Entries of one millisecond are in no order.
    expect(
      own.map(({ action, actorRole, userId }) => [action, actorRole, userId]).toSorted(),
    ).toEqual([
      ['subscriber_list_created', 'host', null],
      ['subscriber_list_deleted', 'host', null],
      ['subscriber_list_updated', 'host', null],
    ])
  })

  it.each<[object, string]>([
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 'a\0' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'a', description: 1 }, 'description'],
    [{ name: 'a', description: 'x'.repeat(1_001) }, 'description'],
    [{ name: 'a', listPosition: 1.5 }, 'listPosition'],
    [{ name: 'a', listPosition: 2 ** 31 }, 'listPosition'],
    [{ name: 'a', public: 'yes' }, 'public'],
  ])('%j is refused, naming %s', async (given, field) => {
    const creating = pages.pages.lists.create(given as NewSubscriberList)

    await expect(creating).rejects.toThrow(SubscribePagesError)
    await expect(creating).rejects.toMatchObject({
      status: 422,
      violations: { [field]: [expect.anything()] },
    })
  })

  it('rejects an unknown field in a change', async () => {
    const { id } = await pages.pages.lists.create({ name: 'Kept' })
    const changing = pages.pages.lists.update(id, { owner: 1 } as object)

    await expect(changing).rejects.toMatchObject({ violations: { owner: [expect.anything()] } })
  })
})
