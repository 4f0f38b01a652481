import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PagesAdmin, startTestPages, type TestPages } from '../../../test/support/pages.ts'

// The rules of B5 and the decisions beside them. Each row is tested for a new and a replaced page.

let pages: TestPages
let maria: PagesAdmin

beforeAll(async () => {
  pages = await startTestPages()
  maria = await pages.admin()
})
afterAll(() => pages.close())

const blank = 'This value should not be blank.'
const missing = 'This field is missing.'
const noText = 'This value should be of type string.'
const long = (limit: number, unit: string) =>
  `This value is too long. It should have ${limit} ${unit} or less.`

type Rejection = [status: 400, message: string] | [status: 422, errors: Record<string, string[]>]

const ok = { key: 'a', value: 'b' }
const titled = (rest: object) => ({ title: 'News', ...rest })
const entry = (value: unknown) => titled({ data: [value] })
const invalid = (problem: string): Rejection => [400, `Invalid request data: ${problem}`]
const broken: Rejection = [400, 'Invalid JSON: Syntax error']
const unstorable = (field: string) => invalid(`${field}: holds characters that cannot be stored`)
const noObject = invalid('the body must be an object that can be stored.')

const refused: [string, unknown, Rejection][] = [
  ['no title', {}, [422, { title: [blank] }]],
  ['no body', undefined, [422, { title: [blank] }]],
  ['a body of white space', ' \n', [422, { title: [blank] }]],
  ['a blank title', { title: ' \t ' }, [422, { title: [blank] }]],
  [
    'an empty title',
    { title: '' },
    [422, { title: [blank, 'This value is too short. It should have 1 character or more.'] }],
  ],
  ['a long title', { title: 'é'.repeat(256) }, [422, { title: [long(255, 'characters')] }]],
  ['a title that is null', { title: null }, invalid('title has to be a text.')],
  ['a title that is a number', { title: 1 }, invalid('title has to be a text.')],
  ['active as a text', titled({ active: 'true' }), invalid('active has to be true or false.')],
  ['active as a number', titled({ active: 1 }), invalid('active has to be true or false.')],
  ['active as null', titled({ active: null }), invalid('active has to be true or false.')],
  ['data as a text', titled({ data: 'a' }), invalid('data has to be a list.')],
  ['data as an object', titled({ data: { a: 'b' } }), invalid('data has to be a list.')],
  ['an entry that is a text', entry('a'), invalid('data has to hold objects.')],
  ['an entry that is null', entry(null), invalid('data has to hold objects.')],
  ['an entry that is a list', entry([]), invalid('data has to hold objects.')],
  ['an entry without value', entry({ key: 'a' }), [422, { 'data[0][value]': [missing] }]],
  ['an entry without key', entry({ value: 'a' }), [422, { 'data[0][key]': [missing] }]],
  ['a value of null', entry({ key: 'a', value: null }), [422, { 'data[0][value]': [noText] }]],
  [
    'a value that is a number',
    entry({ key: 'a', value: 1 }),
    [422, { 'data[0][value]': [noText] }],
  ],
  ['a key that is a number', entry({ key: 1, value: 'a' }), [422, { 'data[0][key]': [noText] }]],
  ['a key of null', entry({ key: null, value: 'a' }), [422, { 'data[0][key]': [noText] }]],
  ['a blank key', entry({ key: ' ', value: 'a' }), [422, { 'data[0][key]': [blank] }]],
  ['an empty key', entry({ key: '', value: 'a' }), [422, { 'data[0][key]': [blank] }]],
  [
    'a long key',
    entry({ key: 'k'.repeat(101), value: 'a' }),
    [422, { 'data[0][key]': [long(100, 'characters')] }],
  ],
  [
    'a value of too many bytes',
    entry({ key: 'a', value: `${'é'.repeat(32_768)}.` }),
    [422, { 'data[0][value]': [long(65_536, 'bytes')] }],
  ],
  [
    'an extra member of an entry',
    entry({ ...ok, label: 'x' }),
    [422, { 'data[0][label]': ['This field was not expected.'] }],
  ],
  ...['constructor', 'toString', 'hasOwnProperty', '__proto__'].map(
    (name): [string, unknown, Rejection] => [
      `an extra member with the name ${name}`,
      `{"title":"News","data":[{"key":"a","value":"b","${name}":"x"}]}`,
      [422, { [`data[0][${name}]`]: ['This field was not expected.'] }],
    ],
  ),
  [
    'too many entries',
    titled({ data: Array.from({ length: 201 }, (_, at) => ({ key: `k${at}`, value: '' })) }),
    [422, { data: ['This collection should contain 200 elements or less.'] }],
  ],
  [
    'several faults at once',
    { data: [{ key: 'a' }, ok, { value: 1, x: 1 }] },
    [
      422,
      {
        title: [blank],
        'data[0][value]': [missing],
        'data[2][key]': [missing],
        'data[2][value]': [noText],
        'data[2][x]': ['This field was not expected.'],
      },
    ],
  ],
  ['a wrong type beside a broken rule', { data: 'x' }, invalid('data has to be a list.')],
  ['broken JSON', '{"title":', broken],
  ['two values', '{} {}', broken],
  ['a list', '[]', noObject],
  ['a text', '"title"', noObject],
  ['a number', '1', noObject],
  ['null', 'null', noObject],
  ['a title with NUL', { title: 'a\0' }, unstorable('title')],
  [
    'half of a pair in a value',
    '{"title":"a","data":[{"key":"a","value":"\\ud800"}]}',
    unstorable('data'),
  ],
  [
    'lists in lists',
    `{"title":${'['.repeat(100)}${']'.repeat(100)}}`,
    invalid('title: is nested too deeply'),
  ],
  [
    'more values than any request needs',
    { title: 'a', x: Array(5_000).fill(0) },
    invalid('body: holds more than 4096 values'),
  ],
]

const taken: [string, object, object][] = [
  ['a title of 255 characters of two halves each', { title: '🎉'.repeat(255) }, {}],
  ['fields that are not known', titled({ id: 9, owner: 1, version: 7 }), {}],
  [
    '200 entries',
    titled({ data: Array.from({ length: 200 }, (_, at) => ({ key: `${at}`, value: '' })) }),
    {},
  ],
  ['a key of 100 characters', entry({ key: '🎉'.repeat(100), value: '' }), {}],
  ['a value of 64 KiB', entry({ key: 'a', value: 'é'.repeat(32_768) }), {}],
  ['an empty value', entry({ key: 'a', value: '' }), { data: [{ key: 'a', value: '' }] }],
  ['quotes and markup as they are', entry({ key: 'a"\'', value: '<b>\\' }), {}],
  ['the name of a prototype', entry({ key: '__proto__', value: 'constructor' }), {}],
]

/** Submits a new page, and one that replaces another. */
const send = async (body: unknown) => {
  const { id } = await pages.page(maria.key)
  return {
    id,
    created: await pages.ask('POST', '/subscribe-pages', { key: maria.key, body }),
    updated: await pages.ask('PUT', `/subscribe-pages/${id}`, { key: maria.key, body }),
  }
}

const count = async () => (await pages.auth.rows('select 1 from auth.subscribe_pages')).length

describe('a page is rejected with', () => {
  it.each(refused)('%s', async (_, body, [status, expectedBody]) => {
    const before = await count()
    const { id, created, updated } = await send(body)

    const answer =
      typeof expectedBody === 'string'
        ? { message: expectedBody }
        : { message: 'Validation failed', errors: expectedBody }
    expect([created.status, created.body]).toEqual([status, answer])
    expect([updated.status, updated.body]).toEqual([status, answer])
    const left = await pages.ask('GET', `/subscribe-pages/${id}`, { key: maria.key })
    expect(left.body).toMatchObject({ title: 'News', active: true, data: [] })
    expect(await count()).toBe(before + 1)
  })

  it('a body of more than 1 MiB', async () => {
    const { created, updated } = await send(`{"title":"${'x'.repeat(1_048_576)}"}`)

    expect([created.status, updated.status]).toEqual([413, 413])
    expect(Object.keys(created.body)).toEqual(['message'])
  })

  it('no value of the request in the error', async () => {
    const secret = 'hunter2'
    const bodies = [
      `{"${secret}": "${secret}`,
      { title: { [secret]: 1 } },
      { title: `${secret}\0` },
      { [secret]: '\0' },
    ]
    for (const body of bodies) {
      const { created } = await send(body)
      expect([created.status, created.text.includes(secret)]).toEqual([400, false])
    }
  })

  it('parameters of the query, which are not fields', async () => {
    const { status } = await pages.ask('POST', '/subscribe-pages?title=x', {
      key: maria.key,
      body: {},
    })

    expect(status).toBe(422)
  })
})

describe('a page is accepted with', () => {
  it.each(taken)('%s', async (_, body, expected) => {
    const { created, updated } = await send(body)

    expect([created.status, updated.status]).toEqual([201, 200])
    expect(created.body).toMatchObject(expected)
    const read = await pages.ask('GET', `/subscribe-pages/${created.body.id}`, { key: maria.key })
    expect(read.body).toEqual(created.body)
  })
})
