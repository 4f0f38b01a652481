import { expect, it } from 'vitest'
import { adminActions } from './admin-actions.ts'
import { help, isCommand, usageOf } from './usage.ts'

it.each(Object.entries(adminActions))(
  'H32: the usage of admin %s names its options, and no others',
  (name, { options = {} }) => {
    const usage = usageOf(`admin ${name}`)

    const named = new Set(usage.match(/--[a-z-]+/g))
    named.delete('--json')
    expect([...named].toSorted()).toEqual(
      Object.keys(options)
        .map((option) => `--${option}`)
        .toSorted(),
    )
  },
)

it('H32: lists each command with a line, and gives a mistaken line the usage of that command alone', () => {
  for (const name of Object.keys(adminActions)) expect(help()).toContain(`  admin ${name} `)
  expect(usageOf('admin ban').split('\n')).toHaveLength(4)
  expect(usageOf('')).toMatch(/^Usage: latchkey \[COMMAND\]\..*\n$/)
  expect(isCommand('constructor')).toBe(false)
})
