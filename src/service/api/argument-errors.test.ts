import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

// Errors of methods in code speak of arguments.

let test: TestAuth

beforeAll(async () => {
  test = await startTestAuth()
})
afterAll(() => test.close())

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was thrown',
    ({ code, message }) => ({ code, message }),
  )
const signUp = (input: object) => errorOf(test.auth.api.signUp(input as never))
const password = 'correct horse battery'

describe('N09: a method in code', () => {
  it('names an argument of the wrong type, and speaks of no request', async () => {
    const error = await signUp({ email: 7, password })

    expect(error).toMatchObject({
      code: 'bad_json',
      message: expect.stringMatching(/^Invalid argument: email: /),
    })
  })

  it.each(['text', 7, null, []])('rejects %j in place of an input', async (input) => {
    expect(await signUp(input as never)).toEqual({
      code: 'bad_json',
      message: 'Invalid argument: input: has to be an object',
    })
  })

  it.each([
    ['pasword', { email: 'ada@example.test', pasword: password }, 'password'],
    ['emial', { emial: 'ada@example.test', password }, 'email'],
    ['redirect_to', { email: 'ada@example.test', password, redirect_to: '/x' }, 'redirectTo'],
    ['userMetadata', { email: 'ada@example.test', password, userMetadata: { a: 1 } }, 'data'],
    [
      'emailRedirectTo',
      { email: 'ada@example.test', password, emailRedirectTo: '/' },
      'redirectTo',
    ],
  ])('names the field that %s is similar to', async (name, input, field) => {
    expect(await signUp(input)).toEqual({
      code: 'validation_failed',
      message: `${name}: is not a field; did you mean ${field}?`,
    })
  })

  it('rejects the name of the client for createUser', async () => {
    const input = { email: 'ada@example.test', shouldCreateUser: false }

    await expect(test.auth.api.signInWithOtp(input)).rejects.toMatchObject({
      message: 'shouldCreateUser: is not a field; did you mean createUser?',
    })
  })

  it('rejects the options of a call of the client, which would be dropped', async () => {
    const input = { email: 'ada@example.test', password, options: { data: { a: 1 } } }

    expect(await signUp(input)).toEqual({
      code: 'validation_failed',
      message: 'options: is not a field; move its members to the input itself',
    })
  })

  it('drops other members, since hosts pass on the forms of their pages', async () => {
    const input = { email: 'grace@example.test', password, csrfToken: 'x', confirmPassword: 'y' }

    expect(await signUp(input)).toBe('nothing was thrown')
  })
})
