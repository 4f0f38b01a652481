import { expect, it } from 'vitest'
import { conflict, serviceUnavailable } from '../errors/request-errors.ts'
import { retryRolledBack, retryTransient } from './retry.ts'

const failing = (code: string) =>
  serviceUnavailable('The database cannot be reached', Object.assign(new Error('a test'), { code }))
const deadlock = failing('40P01')
const lost = failing('ECONNRESET')
const race = conflict('Another request was faster')

/** Returns the number of attempts at work that always fails. */
async function attemptsOf(retry: typeof retryTransient, error: Error): Promise<number> {
  let attempts = 0
  const work = async () => {
    attempts += 1
    throw error
  }
  await expect(retry(work)).rejects.toBe(error)
  return attempts
}

it.each([
  ['a deadlock', deadlock, 3],
  ['a conflict', race, 3],
  ['a lost connection, after which it may have been committed', lost, 1],
  ['an error of another kind', new Error('a division by zero'), 1],
])('retryRolledBack: after %s', async (_, error, attempts) => {
  expect(await attemptsOf(retryRolledBack, error)).toBe(attempts)
})

it.each([
  ['a deadlock', deadlock, 3],
  ['a lost connection', lost, 3],
  ['an error of another kind', new Error('a division by zero'), 1],
])('retryTransient: after %s', async (_, error, attempts) => {
  expect(await attemptsOf(retryTransient, error)).toBe(attempts)
})
