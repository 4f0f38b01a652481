import { hash } from '@node-rs/argon2'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { openHashingThreads } from './hashing-threads.ts'
import { hashingBusy, hashingStopped } from './password-errors.ts'
import { createPasswordHasher } from './password-hasher.ts'

/** The library's numbers for the kinds that are verified but not created. */
const [argon2d, argon2i] = [0, 1] as const

const cost = { memoryKib: 64, iterations: 2, parallelism: 1 }

const threads = await openHashingThreads({ count: 1, maxWaiting: 10, maxWaitMs: 10_000 })
afterAll(() => threads.close())

/** Creates a hasher that counts its computations. */
function countedHasher() {
  const counted = {
    compute: threads.compute,
    computeWith: () => counted.compute,
    computeCostlyWith: () => counted.compute,
    admits: () => true,
  }
  const compute = vi.spyOn(counted, 'compute')
  const hasher = createPasswordHasher(cost, counted)
  return { hasher, compute, computed: () => compute.mock.calls.length }
}

it('creates argon2id hashes of the configured cost, each with its own salt', async () => {
  const { hasher } = countedHasher()

  const [one, two] = [await hasher.hash('open sesame'), await hasher.hash('open sesame')]

  expect(one).toMatch(/^\$argon2id\$v=19\$m=64,t=2,p=1\$/)
  expect(one).not.toBe(two)
  expect(await hasher.verify(one, 'open sesame')).toBe(true)
})

it('computes nothing before the first password, and compares with a hash of the same form', async () => {
  const { hasher, computed } = countedHasher()

  expect(computed()).toBe(0)
  const made = await hasher.hash('open sesame')

  expect(made.startsWith(hasher.prefix)).toBe(true)
  expect(await hasher.renew(made, 'open sesame')).toBe(null)
})

it('renews no hash while too many passwords are waiting, and does not fail', async () => {
  const { hasher, compute } = countedHasher()
  const ofOtherCost = await hash('open sesame', { memoryCost: 64, timeCost: 1, parallelism: 1 })

  const renewed = await hasher.renew(ofOtherCost, 'open sesame')
  compute.mockRejectedValueOnce(hashingBusy())
  const whileBusy = await hasher.renew(ofOtherCost, 'open sesame')
  compute.mockRejectedValueOnce(hashingStopped(new Error('out of memory')))
  const failed = await hasher.renew(ofOtherCost, 'open sesame').catch((error) => error)

  expect(renewed).toMatch(hasher.prefix)
  expect(whileBusy).toBe(null)
  // Without an error in the log, hashes that are never renewed would stay unnoticed.
  expect(failed).toMatchObject({ code: 'service_unavailable', cause: { message: 'out of memory' } })
})

it('rejects any other password, by a single letter', async () => {
  const { hasher } = countedHasher()
  const hash = await hasher.hash('Café sesame')

  const others = ['', 'café sesame', 'Café sesame ', 'Cafe\u0301 sesame', 'Café sesame\0']

  for (const other of others) expect(await hasher.verify(hash, other)).toBe(false)
})

it('does the same work without a hash, and never matches (rule 5)', async () => {
  const { hasher, computed } = countedHasher()
  const hash = await hasher.hash('open sesame')
  const before = computed()

  const known = await hasher.verify(hash, 'wrong')
  const afterKnown = computed()
  const unknown = await hasher.verify(null, 'the password of nobody')

  expect([known, unknown]).toEqual([false, false])
  expect([afterKnown - before, computed() - afterKnown]).toEqual([1, 1])
})

it('matches no password with a hash of an unknown form', async () => {
  const { hasher, computed } = countedHasher()

  for (const hash of [
    '',
    'plain',
    '$argon2id$',
    '$2b$10$abcdefghijklmnopqrstuv',
    'x'.repeat(999),
    `$argon2id$v=19$m=1,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
  ]) {
    const before = computed()
    expect(await hasher.verify(hash, hash)).toBe(false)
    // H11: it takes no less time either.
    expect(computed() - before).toBe(1)
  }
})

it('verifies argon2i and argon2d hashes of other services', async () => {
  const { hasher } = countedHasher()
  const options = { memoryCost: 64, timeCost: 1, parallelism: 1 }

  for (const algorithm of [argon2d, argon2i]) {
    const imported = await hash('open sesame', { ...options, algorithm })
    expect(await hasher.verify(imported, 'open sesame')).toBe(true)
    expect(await hasher.verify(imported, 'wrong')).toBe(false)
  }
})

describe('S95: a hash that takes seconds to verify', () => {
  const phc = (parameters: string) =>
    `$argon2id$v=19$${parameters}$${'A'.repeat(22)}$${'A'.repeat(43)}`
  const firebase = (cost: string) => `$fbscrypt$v=1,${cost},ss=Bw==,sk=jxsp$42xEC+ixf3L2lw==$lSrf`
  const django = (iterations: number) =>
    `pbkdf2_sha256$${iterations}$salt$${Buffer.alloc(32).toString('base64')}`
  const bcrypt = (cost: number) => `$2b$${cost}$${'a'.repeat(53)}`

  /** Returns the group in which a hasher verifies a hash first; nothing is computed. */
  async function groupOf(hash: string, own = cost): Promise<string | undefined> {
    const groups: string[] = []
    const noting = (group: string) => async () => {
      groups.push(group)
      return { value: Buffer.alloc(64) as never, ms: 1 }
    }
    const hasher = createPasswordHasher(own, {
      compute: noting('ordinary'),
      computeWith: () => noting('ordinary'),
      computeCostlyWith: () => noting('costly'),
      admits: () => true,
    })
    await hasher.verify(hash, 'open sesame', { path: ['a'], hasPriority: false })
    return groups[0]
  }

  it.each([
    ['argon2 of the maximal cost', phc('m=1048576,t=20,p=1')],
    ['argon2 above 512 MiB in all', phc('m=524288,t=2,p=1')],
    ['bcrypt of cost 14', bcrypt(14)],
    ['Firebase scrypt above 128 MiB', firebase('n=18,r=8,p=1')],
    ['Firebase scrypt of high parallelism', firebase('n=14,r=8,p=9')],
    ['PBKDF2 of more iterations than Django uses', django(5_000_000)],
  ])('is verified apart from others: %s', async (_case, hash) => {
    expect(await groupOf(hash)).toBe('costly')
  })

  it.each([
    ['argon2 of 64 MiB', phc('m=65536,t=4,p=1')],
    ['bcrypt of cost 12', bcrypt(12)],
    ['Firebase scrypt as Firebase uses it', firebase('n=14,r=8,p=1')],
    ['PBKDF2 of Django 6', django(1_200_000)],
  ])('does not include %s', async (_case, hash) => {
    expect(await groupOf(hash)).toBe('ordinary')
  })

  it('does not include hashes of the configured cost', async () => {
    const own = { memoryKib: 1_048_576, iterations: 2, parallelism: 1 }

    expect(await groupOf(phc('m=1048576,t=2,p=1'), own)).toBe('ordinary')
  })
})

it('S108: a wrong password waits for costly hashes, whether or not the account has one', async () => {
  const groups: string[] = []
  const noting = (group: string) => async () => {
    groups.push(group)
    return { value: false as never, ms: 1 }
  }
  const hasher = createPasswordHasher(cost, {
    compute: noting('ordinary'),
    computeWith: () => noting('ordinary'),
    computeCostlyWith: () => noting('costly'),
    admits: () => true,
  })
  const groupsOf = async (passwordHash: string | null) => {
    groups.length = 0
    await hasher.verify(passwordHash, 'open sesame', { path: ['a'], hasPriority: false })
    return groups.join()
  }

  expect(await groupsOf(null)).toBe('ordinary')
  expect(await groupsOf(`$2b$14$${'a'.repeat(53)}`)).toBe('costly')
  expect(await groupsOf(null)).toBe('ordinary,costly')
  expect(await groupsOf(`$2b$04$${'a'.repeat(53)}`)).toBe('ordinary,costly')
})
