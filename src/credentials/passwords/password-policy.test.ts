import { describe, expect, it } from 'vitest'
import { AuthError } from '../../platform/errors/auth-error.ts'
import {
  createPasswordPolicy,
  findPasswordWeakness,
  type PasswordRules,
  requireHashablePassword,
  requireStrongPassword,
} from './password-policy.ts'

const digits = '0123456789'
const letters = 'abcdefghijklmnopqrstuvwxyz'

const policy = (minLength: number, ...requiredCharacters: string[]): PasswordRules => ({
  minLength,
  requiredCharacters,
})

const requireStrong = (rules: PasswordRules, password: string) => {
  const passwordPolicy = createPasswordPolicy({
    rules,
    isBreached: null,
    findLowScore: null,
    failClosed: false,
  })
  return requireStrongPassword({ passwordPolicy }, password)
}

const rejection = async (act: () => unknown): Promise<AuthError> => {
  try {
    await act()
  } catch (error) {
    if (error instanceof AuthError) return error
  }
  throw new Error('it was not rejected')
}

describe('strength', () => {
  it('measures length in bytes, not letters', () => {
    expect(findPasswordWeakness(policy(6), 'äöü')).toBeNull()
    expect(findPasswordWeakness(policy(7), 'äöü')).toEqual({
      message: 'Password should be at least 7 characters.',
      reasons: ['length'],
    })
  })

  it('requires one character of each set', () => {
    const rule = policy(1, digits, letters)

    expect(findPasswordWeakness(rule, 'a1')).toBeNull()
    expect(findPasswordWeakness(rule, 'A1')?.reasons).toEqual(['characters'])
    expect(findPasswordWeakness(rule, 'aA')?.reasons).toEqual(['characters'])
  })

  it('counts a character outside the basic plane as one', () => {
    const rule = policy(1, '🔑🗝')

    expect(findPasswordWeakness(rule, 'key 🔑')).toBeNull()
    // Two characters with the same first surrogate differ.
    expect(findPasswordWeakness(rule, '🔒')?.reasons).toEqual(['characters'])
  })

  it('contains every broken rule once, with all sets', () => {
    expect(findPasswordWeakness(policy(8, digits, '!:?'), 'abc')).toEqual({
      message:
        'Password should be at least 8 characters. ' +
        `Password should contain at least one character of each: ${digits}, !:?.`,
      reasons: ['length', 'characters'],
    })
  })

  it('throws weak_password with the reasons, and without the password', async () => {
    const error = await rejection(() => requireStrong(policy(8, digits), 'sesame'))

    expect(error).toMatchObject({
      code: 'weak_password',
      status: 422,
      details: { weakPasswordReasons: ['length', 'characters'] },
    })
    expect(error.message).not.toContain('sesame')
  })
})

describe('the limit of 1,024 bytes', () => {
  it('counts bytes', () => {
    expect(() => requireHashablePassword('x'.repeat(1024))).not.toThrow()
    expect(() => requireHashablePassword('ä'.repeat(512))).not.toThrow()
  })

  it.each(['x'.repeat(1025), 'ä'.repeat(513)])('rejects one byte more', async (password) => {
    for (const check of [requireHashablePassword, requireStrong.bind(null, policy(6))]) {
      const error = await rejection(() => check(password))
      expect(error).toMatchObject({ code: 'validation_failed', status: 400 })
      expect(error.message).toMatch(/^password: /)
    }
  })
})
