import { afterEach, describe, expect, it } from 'vitest'
import {
  type Answer,
  startTestAuth,
  type TestAuth,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'
import { hashingBusy } from '../../credentials/passwords/password-errors.ts'

let auth: TestAuth
afterEach(() => auth.close())

const signUp = (email: string) => auth.post('/signup', { email, password: 'correct horse' })

/** Counts the computed hashes from now on, or makes them fail. */
async function watchHashes({ isBusy = false } = {}) {
  const deps = await auth.deps()
  const { passwords } = deps
  let count = 0
  deps.passwords = {
    ...passwords,
    hash: async (...args) => {
      count += 1
      if (isBusy) throw hashingBusy()
      return passwords.hash(...args)
    },
  }
  return {
    count: () => count,
    end: () => {
      deps.passwords = passwords
    },
  }
}

const confirming = { ...withoutAutoconfirm, email: { autoconfirm: false } }

describe('H21: a rejected sign-up', () => {
  it('during the send interval of its address computes no hash', async () => {
    auth = await startTestAuth(confirming)
    await signUp('flooded@example.test')
    const hashes = await watchHashes()

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => signUp('flooded@example.test')),
    )

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]))
    expect(hashes.count()).toBe(0)
  })

  it('for a known address, with autoconfirm, computes none either', async () => {
    auth = await startTestAuth()
    await signUp('taken@example.test')
    const hashes = await watchHashes()

    const { status } = await signUp('taken@example.test')

    expect([status, hashes.count()]).toEqual([422, 0])
  })

  it('by a full gate leaves interval and budget unchanged', async () => {
    auth = await startTestAuth({ ...confirming, rateLimits: { emailSent: '6/1h' } })
    const hashes = await watchHashes({ isBusy: true })
    const during: Answer[] = []
    for (let time = 0; time < 8; time += 1) during.push(await signUp('one@example.test'))
    hashes.end()

    const after = [await signUp('one@example.test'), await signUp('two@example.test')]

    expect(new Set(during.map(({ status }) => status))).toEqual(new Set([503]))
    expect(after.map(({ status }) => status)).toEqual([200, 200])
  })
})
