import { hash } from '@node-rs/argon2'
import { expect, it } from 'vitest'
import { createPasswordHasher } from './password-hasher.ts'

/** The library's numbers for the kinds that we verify and do not make. */
const [argon2d, argon2i] = [0, 1] as const

const cost = { memoryKib: 64, iterations: 2, parallelism: 1 }

/** A hasher, and how often its gate was passed. */
async function countedHasher() {
  let passed = 0
  const hasher = await createPasswordHasher(cost, (work) => {
    passed += 1
    return work()
  })
  return { hasher, passed: () => passed }
}

it('makes argon2id hashes of the configured cost, each with a salt of its own', async () => {
  const { hasher } = await countedHasher()

  const [one, two] = [await hasher.hash('open sesame'), await hasher.hash('open sesame')]

  expect(one).toMatch(/^\$argon2id\$v=19\$m=64,t=2,p=1\$/)
  expect(one).not.toBe(two)
  expect(await hasher.verify(one, 'open sesame')).toBe(true)
})

it('takes any other password as wrong, by the letter', async () => {
  const { hasher } = await countedHasher()
  const hash = await hasher.hash('Café sesame')

  const others = ['', 'café sesame', 'Café sesame ', 'Cafe\u0301 sesame', 'Café sesame\0']

  for (const other of others) expect(await hasher.verify(hash, other)).toBe(false)
})

it('does the same work without a hash, and never finds a match (rule 5)', async () => {
  const { hasher, passed } = await countedHasher()
  const hash = await hasher.hash('open sesame')
  const before = passed()

  const known = await hasher.verify(hash, 'wrong')
  const afterKnown = passed()
  const unknown = await hasher.verify(null, 'the password of nobody')

  expect([known, unknown]).toEqual([false, false])
  expect([afterKnown - before, passed() - afterKnown]).toEqual([1, 1])
})

it('takes a hash of an unknown form as one that fits no password', async () => {
  const { hasher } = await countedHasher()

  for (const hash of [
    '',
    'plain',
    '$argon2id$',
    '$2b$10$abcdefghijklmnopqrstuv',
    'x'.repeat(999),
  ]) {
    expect(await hasher.verify(hash, hash)).toBe(false)
  }
})

it('verifies argon2i and argon2d hashes of other services', async () => {
  const { hasher } = await countedHasher()
  const options = { memoryCost: 64, timeCost: 1, parallelism: 1 }

  for (const algorithm of [argon2d, argon2i]) {
    const imported = await hash('open sesame', { ...options, algorithm })
    expect(await hasher.verify(imported, 'open sesame')).toBe(true)
    expect(await hasher.verify(imported, 'wrong')).toBe(false)
  }
})
