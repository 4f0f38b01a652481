import { describe, expect, it } from 'vitest'
import { minimal, problemsWith } from '../../../../test/support/config-problems.ts'
import { checkConfig } from '../check-config.ts'
import type { AuthConfig } from '../config.ts'
import { setAt } from '../paths.ts'
import { settings } from '../settings.ts'

const warningsWith = (changes: object) =>
  checkConfig({ ...minimal, ...changes } as AuthConfig).warnings

const withValue = (path: string, value: number): object => {
  const tree: Record<string, unknown> = structuredClone({ jwt: minimal.jwt, email: minimal.email })
  setAt(tree, path, value)
  return tree
}

const bounded = settings.flatMap(({ path, bounds }) => (bounds ? [{ path, bounds }] : []))

describe('S29: a setting that protects', () => {
  it.each(bounded)('has a ceiling: $path', ({ path, bounds: { ceiling, unusual, unit } }) => {
    expect(problemsWith(withValue(path, ceiling + 1))).toEqual({
      // Some settings have a range of their own.
      [path]: expect.stringMatching(`more than ${ceiling} ${unit}|to ${ceiling}`),
    })
    expect(problemsWith(withValue(path, ceiling))).toEqual({})
    expect(warningsWith(withValue(path, unusual)).join()).not.toContain(path)
    if (unusual < ceiling) {
      expect(warningsWith(withValue(path, unusual + 1)).join()).toContain(path)
    }
  })

  it('accepts a reuse interval of a minute, and tokens of a second', () => {
    expect(problemsWith({ security: { refreshTokens: { reuseIntervalSeconds: 60 } } })).toEqual({})
    expect(problemsWith(withValue('jwt.lifetimeSeconds', 1))).toEqual({})
  })
})
