import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { stderrLogger } from '../../platform/observability/logger.ts'
import { openDecisionLog } from './decision-log.ts'

it('stores the decisions of a request with one time, so that their order is kept', async () => {
  let moment = 0
  const clock = { now: () => new Date(++moment) }
  const requested: unknown[] = []
  const sql = {
    table: (name: string) => name,
    query: async (_statement: unknown, values: unknown) => {
      requested.push(values)
      return []
    },
  }
  const log = openDecisionLog({ sql: sql as never, clock, logger: stderrLogger, isFrozen: true })

  log.note({
    requestId: 'one',
    endpoint: 'POST /signup',
    status: 403,
    client: null,
    decisions: [
      { kind: 'hook', rule: 'before-user-created' },
      { kind: 'policy', rule: 'unknown' },
    ],
  })
  await log.flush()

  expect(requested).toHaveLength(1)
  expect(new Set(JSON.stringify(requested).match(/1970-01-01T[\d:.]+Z/g))).toHaveProperty('size', 1)
})

describe('S36: the decisions of one minute', () => {
  beforeEach(() => void vi.spyOn(performance, 'now').mockReturnValue(0))
  afterEach(() => void vi.restoreAllMocks())

  /** Returns the indexes of the requests whose decisions are stored. */
  async function keptOf(clients: readonly (string | null)[]): Promise<number[]> {
    const kept: string[] = []
    const sql = {
      table: (name: string) => name,
      query: async (_statement: unknown, { decisionRows }: { decisionRows: unknown }) => {
        kept.push(...(JSON.stringify(decisionRows).match(/client-\d+/g) ?? []))
        return []
      },
    }
    const clock = { now: () => new Date() }
    const log = openDecisionLog({ sql: sql as never, clock, logger: stderrLogger, isFrozen: true })
    for (const [at, client] of clients.entries()) {
      const decisions = [{ kind: 'check', rule: 'otp_expired' }] as const
      log.note({ requestId: 'one', endpoint: `client-${at}`, status: 403, client, decisions })
    }
    await log.flush()
    return kept.map((endpoint) => Number(endpoint.slice('client-'.length)))
  }
  const flood = (site: number) =>
    Array.from({ length: 1_000 }, (_, index) => `2001:db8:${site}:${index.toString(16)}::/64`)

  it('are stored for one /48 up to its part, from however many of its networks requests come', async () => {
    const kept = await keptOf([...flood(1), ...flood(2), '192.0.2.1'])

    expect(kept.filter((at) => at < 1_000)).toHaveLength(225)
    expect(kept.filter((at) => at >= 1_000 && at < 2_000)).toHaveLength(225)
    expect(kept.at(-1)).toBe(2_000)
  })

  it('reserve a fifth for networks without stored decisions', async () => {
    const kept = await keptOf([...[1, 2, 3, 4].flatMap(flood), '192.0.2.1', '203.0.113.1'])

    expect(kept.filter((at) => at < 4_000)).toHaveLength(481)
    expect(kept.slice(-2)).toEqual([4_000, 4_001])
  })

  it('are shared by clients that cannot be distinguished, up to the last fifth', async () => {
    const kept = await keptOf([...Array(1_000).fill(null), '192.0.2.1'])

    expect(kept).toHaveLength(481)
    expect(kept.at(-1)).toBe(1_000)
  })
})
