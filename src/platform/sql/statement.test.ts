import { describe, expect, expectTypeOf, it } from 'vitest'
import { tableNames } from '../../service/persistence/table-names.ts'
import type { Precondition, PreconditionText, Queryable } from './queryable.ts'
import {
  buildStatement,
  orderValues,
  type ParameterValues,
  type Statement,
  statement,
} from './statement.ts'
import { noRows, type Rows, rowsOf } from './tables.ts'

const names = tableNames({ schema: 'auth', namespace: 'app_' })

function build<Parameters extends object>(one: Statement<Parameters, unknown>, values: Parameters) {
  const built = buildStatement(one, names, values as ParameterValues)
  return { ...built, values: orderValues(built, values as ParameterValues) }
}

describe('the text of a statement', () => {
  it('numbers its parameters in the order in which it uses them', () => {
    const find = statement<{ audience: string; email: string }>(
      'find',
      (sql, $) => `select from ${sql.table('users')}
        where email = ${$.email} and audience = ${$.audience} or new_email = ${$.email}`,
    )

    const { text, values } = build(find, { audience: 'customers', email: 'ada@example.test' })

    expect(text).toContain('from "auth"."app_users"')
    expect(text).toContain('email = $1 and audience = $2 or new_email = $1')
    expect(values).toEqual(['ada@example.test', 'customers'])
  })

  it('continues the numbering after a precondition, whose names are separate', () => {
    const budget: PreconditionText<unknown, { key: string; count: number }> = (_, $) =>
      `spent as (select ${$.key}, ${$.count})`
    const spending: PreconditionText<unknown> = budget
    const find = statement<{ spending: ParameterValues; key: string }>(
      'find',
      (sql, $) => `with ${spending(sql, $.spending)} select ${$.key}`,
    )

    const { text, values } = build(find, { spending: { count: 3, key: 'budget' }, key: 'own' })

    expect(text).toBe('with spent as (select $1, $2) select $3')
    expect(values).toEqual(['budget', 3, 'own'])
  })

  it('rejects values that the text does not use', () => {
    const given = { email: 'ada@example.test', audience: 'customers' }
    const forgetful = statement<typeof given>('forgetful', (_, $) => `select ${$.email}`)
    const destructuring = statement<typeof given>('destructuring', (_, { email, audience }) =>
      audience === '' ? '' : `select ${email}`,
    )

    for (const one of [forgetful, destructuring]) {
      expect(() => build(one, given)).toThrow(`${one.name} does not use audience`)
    }
  })

  it('requires a value for each parameter, and rejects numbers in the text', () => {
    const eager = statement<{ email?: string }>('eager', (_, $) => `select ${$.email}`)
    const byHand = statement<{ email: string }>('by_hand', (_, $) => `select ${$.email}, $2`)

    expect(() => build<{ email?: string }>(eager, {})).toThrow('eager requires email')
    expect(() => build(byHand, { email: '' })).toThrow('by_hand contains $2: use its placeholders')
  })
})

describe('the name of a plan', () => {
  const named = (name: string, text: string) =>
    build(
      statement(name, () => text),
      {},
    ).planName

  it('is the same for the same text, and another one for another text', () => {
    expect(named('find', 'select 1')).toMatch(/^find:[0-9a-f]{8}$/)
    expect(named('find', 'select 1')).toBe(named('find', 'select 1'))
    expect(named('find', 'select 2')).not.toBe(named('find', 'select 1'))
  })

  it('keeps the digest where PostgreSQL would truncate the name', () => {
    const long = 'find_'.repeat(20)

    expect(named(long, 'select 1')).toHaveLength(63)
    expect(named(long, 'select 2')).not.toBe(named(long, 'select 1'))
  })

  it('is empty for a statement that is planned for each execution', () => {
    const once = statement('once', () => 'select 1', { unprepared: 'it is run once' })

    expect(build(once, {}).planName).toBe('')
  })
})

it('is built once for each set of names', () => {
  let builds = 0
  const find = statement<{ id: string }>('find', (sql, $) => {
    builds += 1
    return `select from ${sql.table('users')} where id = ${$.id}`
  })
  const other = tableNames({ schema: 'other', namespace: '' })

  const texts = [names, names, other].map((one) => one.built(find, { id: '1' }).text)

  expect(builds).toBe(2)
  expect(texts[1]).toBe(texts[0])
  expect(texts[2]).toContain('"other"."users"')
})

describe('what the compiler rejects', () => {
  const open = statement<{ id: string; sessionRows: Rows<'sessions'> }, { found: boolean }>(
    'open',
    (sql, $) => `${sql.insertRows('sessions', $.sessionRows)} where id <> ${$.id}`,
  )
  const query = {} as Queryable['query']

  it('rows of another table, in a call and in a text', () => {
    void (() => [
      query(open, { id: '', sessionRows: noRows }),
      query(open, { id: '', sessionRows: rowsOf('sessions') }),
      // @ts-expect-error these are rows of another table
      query(open, { id: '', sessionRows: rowsOf('audit_entries') }),
      // @ts-expect-error any text is no rows
      query(open, { id: '', sessionRows: '[]' }),
      statement<{ rows: Rows<'sessions'> }>('other', (sql, $) =>
        // @ts-expect-error these are rows of another table
        sql.insertRows('factors', $.rows),
      ),
    ])
    expectTypeOf(rowsOf('sessions')).not.toExtend<Rows<'factors'>>()
  })

  it('parameters that are missing, unknown or of another type', () => {
    void (() => [
      // @ts-expect-error no rows are given
      query(open, { id: '' }),
      // @ts-expect-error there is no such parameter
      query(open, { id: '', sessionRows: noRows, now: '' }),
      // @ts-expect-error an id is text
      query(open, { id: 1, sessionRows: noRows }),
      // @ts-expect-error there is no such parameter
      statement<{ id: string }>('other', (_, $) => `select ${$.key}`),
      // @ts-expect-error an instant travels as text
      statement<{ now: Date }>('other', (_, $) => `select ${$.now}`),
    ])
    expectTypeOf(query<{ id: string }, { found: boolean }>).returns.resolves.toEqualTypeOf<
      { found: boolean }[]
    >()
  })

  it('values of a precondition that are not its own', () => {
    const text: PreconditionText<unknown, { key: string }> = (_, $) => $.key

    // @ts-expect-error there is no such parameter
    expectTypeOf({ text, values: { count: 1 } }).toExtend<Precondition<unknown, { key: string }>>()
  })
})
