import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Parts that no user sees. */
const invisible = ['account-name-field.ts', 'captcha.ts']

it('shows every component', () => {
  const source = readFileSync(new URL('components.ts', import.meta.url), 'utf8')
  const shown = [...source.matchAll(/from '\.\.\/components\/([\w-]+\.ts)'/g)].map(
    ([, file]) => file,
  )
  const all = readdirSync(new URL('../components', import.meta.url))

  expect([...shown, ...invisible].sort()).toEqual(all.sort())
})
