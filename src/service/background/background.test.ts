import { afterEach, expect, it, vi } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { extendLifetime, longestBackgroundMs } from './background.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Records the work that the host received, and its end. */
function given(work: Promise<unknown>) {
  const seen = { ended: false }
  const waitUntil = (promise: Promise<void>) =>
    promise.then(() => Object.assign(seen, { ended: true }))
  expect(extendLifetime(waitUntil, work, silentLogger)).toBe(true)
  return seen
}

it('passes on work that ends after 25 seconds at most', async () => {
  vi.useFakeTimers()
  const seen = given(new Promise(() => {}))

  await vi.advanceTimersByTimeAsync(longestBackgroundMs - 1)
  expect(seen.ended).toBe(false)
  await vi.advanceTimersByTimeAsync(1)

  expect([longestBackgroundMs, seen.ended]).toEqual([25_000, true])
})

it('passes on a promise that ends with the work, also where that fails', async () => {
  const seen = given(Promise.reject(new Error('failed')))

  await waitFor(() => expect(seen.ended).toBe(true))
})

it('returns false where the host throws', () => {
  const refuse = () => {
    throw new Error('there is no request')
  }

  expect(extendLifetime(refuse, Promise.resolve(), silentLogger)).toBe(false)
})
