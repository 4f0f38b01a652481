import { expect, it } from 'vitest'
import { knownNames } from '../platform/config/environment-names.ts'
import type { ConfigError } from '../platform/errors/start-errors.ts'
import { adminActions } from './admin/admin-actions.ts'
import { checkEnvironment } from './settings/environment.ts'
import { help, helpOf, isCommand, unknownCommand, usageOf } from './usage.ts'

it.each(Object.entries(adminActions))(
  'H32: the usage of admin %s names its options, and no others',
  (name, { options = {} }) => {
    const usage = usageOf(`admin ${name}`)

    const named = new Set(usage.match(/--[a-z-]+/g))
    const accepted = [...Object.keys(options), 'json']
    expect([...named].toSorted()).toEqual(accepted.map((option) => `--${option}`).toSorted())
  },
)

it('H32: lists each command in one line, and prints the usage of a mistaken command only', () => {
  for (const name of Object.keys(adminActions)) expect(help()).toContain(`  admin ${name} `)
  expect(usageOf('admin ban').split('\n')).toHaveLength(4)
  expect(usageOf('')).toMatch(/^Usage: latchkey \[COMMAND\]\..*\n$/)
  expect(isCommand('constructor')).toBe(false)
})

it.each([
  ['users', 'admin'],
  ['config', 'doctor'],
  ['settings', 'doctor'],
  ['start', 'serve'],
  ['audit', 'admin audit'],
  ['clinets', 'clients'],
])('proposes a command for the unknown word %s', (word, meant) => {
  expect(unknownCommand('', word).message).toBe(`unknown command: ${word}; did you mean ${meant}?`)
})

it('proposes no command for a word that several have', () => {
  expect(unknownCommand('', 'create').message).toBe('unknown command: create')
})

it('names the settings that a server needs, and the documentation of all', () => {
  const named = helpOf('serve').match(/AUTH_\w+/g) ?? []

  expect(named).toHaveLength(12)
  for (const name of named) expect(knownNames).toContain(name)
  expect(named).toEqual(expect.arrayContaining(requiredNames()))
  expect(helpOf('serve')).toContain('docs/configuration.md')
  expect(usageOf('serve')).not.toContain('AUTH_')
})

/** Returns the settings without which nothing starts. */
function requiredNames(): string[] {
  try {
    checkEnvironment({})
    return []
  } catch (error) {
    return (error as ConfigError).problems.map(({ path }) => path)
  }
}
