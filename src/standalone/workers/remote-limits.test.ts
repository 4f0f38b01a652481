import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../platform/kit/digest.ts'
import type { ToPrimary } from './messages.ts'
import { openRemoteLimits } from './remote-limits.ts'

const counted = [{ key: 'token:198.51.100.1', limit: { burst: 5, refillPerSecond: 1 } }]

function open(patienceMs = 10_000) {
  const sent: ToPrimary[] = []
  return { sent, limits: openRemoteLimits((message) => sent.push(message), { patienceMs }) }
}

describe('limits that the primary process counts', () => {
  it('are sent with a digest of each key, and resolve with the decision', async () => {
    const { sent, limits } = open()
    const [allowed, rejected] = [limits.take(counted), limits.take(counted)]
    limits.settle({ id: 2, waitSeconds: 7 })
    limits.settle({ id: 1, waitSeconds: null })

    expect(sent[0]).toEqual({
      take: {
        id: 1,
        limits: [[sha256Hex('token:198.51.100.1'), 5, 1]],
        untilMs: expect.any(Number),
      },
    })
    expect([await allowed, await rejected]).toEqual([
      { allowed: true },
      { allowed: false, retryAfterSeconds: 7 },
    ])
  })

  it('reject a request without a decision in time: 503 with Retry-After', async () => {
    const { limits } = open(1)
    const late = limits.take(counted)

    await expect(late).rejects.toMatchObject({
      code: 'service_unavailable',
      status: 503,
      details: { retryAfterSeconds: 1 },
    })
    // A late decision concerns no request.
    limits.settle({ id: 1, waitSeconds: null })
  })

  it('reject requests beyond 10,000 that wait', async () => {
    const { limits } = open()
    for (let count = 0; count < 10_000; count += 1) void limits.take(counted)

    await expect(limits.take(counted)).rejects.toMatchObject({ status: 503 })
    for (let id = 1; id <= 10_000; id += 1) limits.settle({ id, waitSeconds: null })
  })
})
