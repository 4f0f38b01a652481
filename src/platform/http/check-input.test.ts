import { describe, expect, it } from 'vitest'
import { AuthError } from '../errors/auth-error.ts'
import { checkBody, checkInput } from './check-input.ts'
import { Flag, fields, Metadata, Text, wireNamed } from './inputs.ts'

const Body = fields({ password: Text, confirm: Flag, data: Metadata })

/** One value of each JSON type. The object has members that conversions to text call. */
const values = {
  string: 'hunter2',
  number: 12_345,
  boolean: true,
  array: ['hunter2', ['hunter2']],
  object: { toString: 'hunter2', valueOf: 'hunter2', toJSON: 'hunter2' },
}

function rejection(check: () => unknown): AuthError {
  try {
    check()
  } catch (error) {
    if (error instanceof AuthError) return error
    throw error
  }
  throw new Error('it was accepted')
}

describe('checking input', () => {
  it('drops unknown members', () => {
    expect(checkInput({ password: 'a', role: 'admin', confirm: true }, Body)).toEqual({
      password: 'a',
      confirm: true,
    })
  })

  it.each(['toString', 'constructor', 'hasOwnProperty', 'valueOf', '__proto__'])(
    'drops %s as well, which every object inherits',
    (name) => {
      for (const value of Object.values(values)) {
        const body = { password: 'a', ...Object.fromEntries([[name, value]]) }

        expect(checkInput(body, Body)).toEqual({ password: 'a' })
      }
    },
  )

  it('treats null as absent', () => {
    const read = checkInput({ password: null, confirm: null, data: null }, Body)

    expect([read.password, read.confirm, read.data]).toEqual([undefined, undefined, undefined])
  })

  it.each([
    ['password', 'string'],
    ['confirm', 'boolean'],
    ['data', 'object'],
  ])('requires %s to be a JSON %s, and does not quote other values', (field, type) => {
    for (const [kind, value] of Object.entries(values)) {
      const check = () => checkInput({ [field]: value }, Body)
      if (kind === type) {
        expect(check()).toEqual({ [field]: value })
        continue
      }
      const { code, status, message } = rejection(check)
      expect([code, status]).toEqual(['bad_json', 400])
      expect(message).toContain(`${field}: has to be ${type}`)
      expect(message).not.toContain('hunter2')
      expect(message).not.toContain('12345')
    }
  })

  it('reads and names fields by their wire names in requests', () => {
    const Wire = fields({ codeChallenge: Text, audience: wireNamed('aud', Text) })

    expect(checkBody({ code_challenge: 'a', aud: 'b', codeChallenge: 'c' }, Wire)).toEqual({
      codeChallenge: 'a',
      audience: 'b',
    })
    expect(rejection(() => checkBody({ code_challenge: 5 }, Wire)).message).toContain(
      'code_challenge: has to be string',
    )
    expect(rejection(() => checkBody({ aud: 5 }, Wire)).message).toContain('aud: has to be string')
  })
})
