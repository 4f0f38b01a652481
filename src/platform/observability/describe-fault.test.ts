import { expect, it } from 'vitest'
import { describeFault } from './describe-fault.ts'

it('tells causes, and comes to an end where they lead back to where they began', () => {
  const inner = new TypeError('inner')
  const outer = new Error('outer', { cause: inner })
  inner.cause = outer

  const told = describeFault(outer)

  expect(told).toMatchObject({
    message: 'outer',
    cause: { name: 'TypeError', message: 'inner', cause: { message: 'outer' } },
  })
  expect(JSON.stringify(told).match(/"message":"outer"/g)?.length).toBeLessThan(10)
})

it.each([['name'], ['message'], ['stack'], ['code']])('expects no text in %s', (member) => {
  for (const value of [['a'], { a: 1 }, null]) {
    const told = describeFault(Object.assign(new Error('said'), { [member]: value }))
    expect(JSON.parse(JSON.stringify(told))).toEqual(told)
    expect(told.name).toBe('Error')
  }
})

it('leaves out what the database says, which quotes values, whatever its name is', () => {
  const ofDatabase = Object.assign(new Error('Key (email)=(ada@example.test)'), {
    severity: 'ERROR',
    code: '23505',
  })
  expect(describeFault(ofDatabase)).toMatchObject({ name: 'Error', code: '23505' })
  expect(JSON.stringify(describeFault(new Error('', { cause: ofDatabase })))).not.toContain('ada@')
})
