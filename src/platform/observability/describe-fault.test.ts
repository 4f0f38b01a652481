import { expect, it } from 'vitest'
import { describeFault } from './describe-fault.ts'

it('contains causes, and ends at a circular one', () => {
  const inner = new TypeError('inner')
  const outer = new Error('outer', { cause: inner })
  inner.cause = outer

  const described = describeFault(outer)

  expect(described).toMatchObject({
    message: 'outer',
    cause: { name: 'TypeError', message: 'inner', cause: { message: 'outer' } },
  })
  expect(JSON.stringify(described).match(/"message":"outer"/g)?.length).toBeLessThan(10)
})

it.each([['name'], ['message'], ['stack'], ['code']])(
  'accepts a value without text in %s',
  (member) => {
    for (const value of [['a'], { a: 1 }, null]) {
      const described = describeFault(Object.assign(new Error('message'), { [member]: value }))
      expect(JSON.parse(JSON.stringify(described))).toEqual(described)
      expect(described.name).toBe('Error')
    }
  },
)

it('omits the message of a database error, which quotes values, whatever its name is', () => {
  const ofDatabase = Object.assign(new Error('Key (email)=(ada@example.test)'), {
    severity: 'ERROR',
    code: '23505',
  })
  expect(describeFault(ofDatabase)).toMatchObject({ name: 'Error', code: '23505' })
  expect(JSON.stringify(describeFault(new Error('', { cause: ofDatabase })))).not.toContain('ada@')
})
