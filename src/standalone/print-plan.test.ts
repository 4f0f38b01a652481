import { expect, it } from 'vitest'
import { printPlan } from './print-plan.ts'

const step = (name: string, ...statements: string[]) => ({ name, statements })

it('formats each step under its name, and prints one that cannot be parsed unchanged', async () => {
  const lines = await printPlan([
    step('1-first', 'select  1', 'select  2'),
    step('2-second', 'select  (3'),
    step('3-third', 'select  4'),
  ])

  expect(lines).toEqual([
    ...['-- 1-first', 'select', '  1;', '', 'select', '  2;', ''],
    '-- 2-second',
    expect.stringMatching(/^-- not formatted: Parse error at token: .* line 1 column 11$/),
    ...['select  (3;', ''],
    ...['-- 3-third', 'select', '  4;'],
  ])
})

it('prints nothing without pending steps', async () => {
  expect(await printPlan([])).toEqual([])
})
