import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { findHashSamples } from '../../accounts/users/find-hash-samples.sql.ts'
import type { Compute } from '../../credentials/passwords/compute.ts'
import {
  createPasswordHasher,
  type PasswordHasher,
} from '../../credentials/passwords/password-hasher.ts'

// Rule 5: the response time of a wrong password does not reveal whether the address has an account.
// Checks have a fixed duration here and use no core; `bench/timing.ts` measures real ones.

const fastMs = 2
const slowMs = 120

/** A salt is 16 bytes, so its last character contains only two bits. */
const passwordHash = `$2b$10$${'a'.repeat(21)}e${'a'.repeat(31)}`

let auth: TestAuth
let ours: PasswordHasher
/** Users with a hash of another service, one of ours, none, and one that cannot be verified. */
let people: { slow: string; fast: string; without: string; broken: string }

/** Creates a hasher without learned costs. It accepts no password. */
async function newHasher(): Promise<PasswordHasher> {
  const makes = `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
  const compute = (async (name: string) => {
    if (name === 'makeArgon2') return { value: makes, ms: fastMs }
    const ms = name === 'verifyBcrypt' ? slowMs : fastMs
    await sleep(ms)
    return { value: false, ms }
  }) as unknown as Compute
  const cost = { memoryKib: 64, iterations: 1, parallelism: 1 }
  return createPasswordHasher(cost, {
    compute,
    computeWith: () => compute,
    computeCostlyWith: () => compute,
    admits: () => true,
  })
}

let made = 0
const newEmail = () => `even-${++made}@example.test`

beforeAll(async () => {
  auth = await startTestAuth()
  ours = (await auth.deps()).passwords
  const [slow, without] = [newEmail(), newEmail()]
  await auth.auth.admin.createUser({ email: slow, passwordHash, emailConfirm: true })
  await auth.auth.admin.createUser({ email: without, emailConfirm: true })
  const [fast, broken] = [await auth.given.user(), await auth.given.user()]
  await auth.rows('update auth.users set password_hash = $1 where id = $2', ['$1$md5', broken.id])
  people = { slow, without, fast: fast.email ?? '', broken: broken.email ?? '' }
})
afterAll(() => auth.close())

const signIn = (email: string, password: string) =>
  auth.post('/token?grant_type=password', { email, password })

const failing = async (email: string, times = 1): Promise<number> => {
  const startedAt = performance.now()
  const answers = await Promise.all(Array.from({ length: times }, () => signIn(email, 'no')))
  const ms = performance.now() - startedAt
  expect(answers.map(({ body }) => body.error_code)).toEqual(
    answers.map(() => 'invalid_credentials'),
  )
  return ms
}

describe('H11: a wrong password is rejected no sooner than one for the slowest kind of hash', () => {
  const useNewHasher = async () => {
    const passwords = await newHasher()
    ;(await auth.deps()).passwords = passwords
    return passwords
  }

  it.each(['slow', 'fast', 'without', 'broken', 'nobody'] as const)('for %s', async (who) => {
    const passwords = await useNewHasher()
    await passwords.learn(async () => [passwordHash])

    const ms = await failing(who === 'nobody' ? newEmail() : people[who])

    expect(ms).toBeGreaterThan(slowMs * 1.2)
  })

  it('while that time is still being measured', async () => {
    const passwords = await useNewHasher()
    void passwords.learn(async () => [passwordHash])

    expect(await failing(newEmail())).toBeGreaterThan(slowMs * 1.2)
  })

  it('for any number of concurrent attempts at one address', async () => {
    const passwords = await useNewHasher()
    await passwords.learn(async () => [passwordHash])

    expect(await failing(newEmail(), 4)).toBeGreaterThan(4 * slowMs * 1.2)
  })

  it('once a user is created or imported with such a hash', async () => {
    for (const store of [
      () => auth.auth.admin.createUser({ email: newEmail(), passwordHash }),
      () => auth.auth.admin.importUsers([{ email: newEmail(), passwordHash }]),
    ]) {
      await useNewHasher()
      await store()
      expect(await failing(newEmail())).toBeGreaterThan(slowMs * 1.2)
    }
  })

  it('and at once where all hashes are of one kind', async () => {
    await useNewHasher()

    const least = Math.min(...[await failing(people.fast), await failing(people.fast)])

    expect(least).toBeLessThan(slowMs)
  })
})

describe('S95: sign-ins with the right password, while wrong ones for the address wait', () => {
  const signInFrom = (ip: string, email: string, password: string) =>
    auth.post('/token?grant_type=password', { email, password }, { ip })

  /** Sends wrong passwords whose comparisons one after another take seconds. */
  const guess = (email: string) =>
    Array.from({ length: 30 }, () => signInFrom('198.51.100.66', email, 'wrong'))

  it('do not wait for them at the network of an earlier sign-in', async () => {
    ;(await auth.deps()).passwords = ours
    const [home, { email = '' }] = ['203.0.113.7', await auth.given.user()]
    expect((await signInFrom(home, email ?? '', testPassword)).status).toBe(200)
    const passwords = await newHasher()
    ;(await auth.deps()).passwords = passwords
    await passwords.learn(async () => [passwordHash])
    let pending = 30
    const guesses = guess(email ?? '').map((one) => one.finally(() => (pending -= 1)))

    await sleep(300)
    await signInFrom(home, email ?? '', testPassword)

    expect(pending).toBeGreaterThan(20)
    await Promise.all(guesses)
  })

  it('take turns with them in other networks', async () => {
    const passwords = await newHasher()
    ;(await auth.deps()).passwords = passwords
    await passwords.learn(async () => [passwordHash])
    const email = newEmail()
    let pending = 30
    const guesses = guess(email).map((one) => one.finally(() => (pending -= 1)))

    await sleep(300)
    await signInFrom('203.0.113.8', email, testPassword)

    expect(pending).toBeGreaterThan(20)
    await Promise.all(guesses)
  })
})

describe('a stored hash', () => {
  const form = (cost: string) => `$argon2id$v=19$${cost}$${'A'.repeat(22)}$${'A'.repeat(43)}`

  it.each([
    ['has no known format', 'x'],
    ['has less memory than the algorithm takes', form('m=1,t=1,p=1')],
    ['has no iterations', form('m=64,t=0,p=1')],
    ['has no lanes', form('m=64,t=1,p=0')],
    ['does not decode', `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(11)}$${'A'.repeat(21)}B`],
  ])('that %s gets the response of an unknown user', async (_case, hash) => {
    ;(await auth.deps()).passwords = ours
    const { email, id } = await auth.given.user()
    await auth.rows('update auth.users set password_hash = $1 where id = $2', [hash, id])

    const answers = [await signIn(email ?? '', 'no'), await signIn(newEmail(), 'no')]

    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [400, 'invalid_credentials'],
      [400, 'invalid_credentials'],
    ])
  })
})

it('H11: one hash of each stored kind is found, except the kind that is computed anyway', async () => {
  const { database } = await auth.deps()
  const argon2 = `$argon2id$v=19$m=4096,t=3,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
  const betterAuth = ['a', 'b'].map((digit) => `${digit.repeat(32)}:${digit.repeat(128)}`)
  const django = ['salt', 'sold'].map((salt) => `pbkdf2_sha256$9$${salt}$${'A'.repeat(43)}=`)
  const bcrypt = [passwordHash, passwordHash.replace(/a$/, 'b')]
  for (const hash of [...bcrypt, argon2, ...betterAuth, ...django]) {
    await auth.auth.admin.createUser({ email: newEmail(), passwordHash: hash })
  }

  const found = await findHashSamples(database.sql, { except: ours.prefix, limit: 10 })

  expect(found).toEqual(expect.arrayContaining([passwordHash, argon2, betterAuth[0], django[0]]))
  expect(found.filter((hash) => /:|^pbkdf2/.test(hash))).toHaveLength(2)
  expect(found.filter((hash) => hash.startsWith('$2b$10$'))).toHaveLength(1)
  expect(found.filter((hash) => hash.startsWith(ours.prefix))).toEqual([])
})

it('H11: a service with such hashes in its database finds them at its start', async () => {
  const beside = await auth.beside()
  const refuse = async () => {
    const startedAt = performance.now()
    const body = { email: newEmail(), password: 'no' }
    await beside.request('POST', '/token?grant_type=password', { body })
    return performance.now() - startedAt
  }

  // Of cost 10, which takes no machine less; concurrent work only adds to it.
  const least = Math.min(...[await refuse(), await refuse(), await refuse()])
  await beside.close()

  expect(least).toBeGreaterThan(30)
})

it('a right password is accepted at once, with any stored hashes', async () => {
  const deps = await auth.deps()
  deps.passwords = ours
  await ours.learn(async () => [passwordHash])
  const times = [await failing(newEmail()), await failing(newEmail())]
  const signedIn = async () => {
    const startedAt = performance.now()
    const { status } = await signIn(people.fast, testPassword)
    expect(status).toBe(200)
    return performance.now() - startedAt
  }

  const least = Math.min(...[await signedIn(), await signedIn(), await signedIn()])

  expect(least).toBeLessThan(Math.min(...times))
})
