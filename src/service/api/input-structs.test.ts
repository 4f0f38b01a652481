import { type Infer, object, type Struct, string } from 'superstruct'
import { describe, expect, it } from 'vitest'
import { endpoints } from '../endpoints.ts'
import { inputStruct } from './input-structs.ts'

const signUp = inputStruct('auth.api.signUp')

describe('the struct of an input', () => {
  it('accepts the types that the method accepts, and null as an absent field', () => {
    expect(signUp.is({ email: 'ada@example.com', password: 'a', data: {}, phone: null })).toBe(true)
    expect(signUp.is({ email: 5 })).toBe(false)
    expect(signUp.is([])).toBe(false)
  })

  it('drops unknown members, and those that are null', () => {
    const given = { email: 'ada@example.com', phone: null, role: 'admin', toString: 'a' }

    expect(signUp.create(given)).toEqual({ email: 'ada@example.com' })
    expect(signUp.mask(given)).toEqual({ email: 'ada@example.com' })
  })

  it('has a struct of each field with its description', () => {
    const { password, codeChallenge } = signUp.schema

    expect(password?.is('hunter2')).toBe(true)
    expect([password?.isRequired, codeChallenge?.isRequired]).toEqual([true, false])
    expect(password?.jsonSchema).toEqual({ type: 'string' })
  })

  it('includes the access token and the ids of the path, where the input does', () => {
    expect(Object.keys(inputStruct('auth.api.verifyFactor').schema)).toEqual(
      expect.arrayContaining(['accessToken', 'factorId', 'challengeId', 'code']),
    )
  })

  it('is composed with structs of the application', () => {
    const email = signUp.schema['email'] as Struct<string, null>
    const Form = object({ email, plan: string() })
    const form: Infer<typeof Form> = { email: 'ada@example.com', plan: 'free' }

    expect(Form.is(form)).toBe(true)
    expect(Form.is({ ...form, email: 5 })).toBe(false)
  })

  it('of a method without one does not exist', () => {
    expect(() => inputStruct('auth.api.explainRedirect')).toThrow(TypeError)
  })
})

describe('messages', () => {
  const fields = endpoints.flatMap(({ body, query }) =>
    Object.entries({ ...body?.kinds, ...(query as Record<string, never>) }),
  )

  it('of no field contain the value that was rejected', () => {
    expect(fields.length).toBeGreaterThan(50)
    for (const [, field] of fields) {
      for (const value of ['hunter2', ['hunter2'], { hunter2: 'hunter2' }, 12345]) {
        const [error] = field.validate(value)
        expect(String(error)).not.toMatch(/hunter2|12345/)
      }
    }
    const [error] = signUp.validate('hunter2')
    expect(error?.message).toBe('has to be object')
  })
})
