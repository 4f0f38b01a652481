import { describe, expect, it } from 'vitest'
import type { OutboxRow } from '../../delivery/outbox/outbox-row.ts'
import type { StoredEntries } from '../audit/audit-note.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import { type Act, performAct, performActs, type Recorders } from './record-act.ts'

const now = new Date('2026-01-01T00:00:00Z')

/** Recorders that list what they receive, and a transaction whose commit the test performs. */
function recording() {
  const records: unknown[] = []
  const completions: (() => void)[] = []
  const hooks = { events: { enabled: false }, afterUserCreated: { enabled: false } }
  const recorders = {
    config: { auditLog: { disablePostgres: false }, hooks, oauthServer: { enabled: false } },
    clock: { now: () => now },
    carriers: {},
    logger: {
      info: (fields: { auth_audit_event: { action: string; actor_id: string } }) => {
        const { action, actor_id } = fields.auth_audit_event
        records.push(['log', action, actor_id])
      },
    },
    outbox: {
      wake: (wake?: object) => records.push(['wake', wake ?? {}]),
      claimNew: (rows: OutboxRow[]) => ({
        rows: rows.map((row) => ({ ...row, status: 'sending' })),
        deliver: () => records.push(['messages', true]),
        release: () => records.push(['messages', false]),
      }),
    },
    telemetry: {
      count: (name: string, attributes: object) => records.push([name, attributes]),
    },
    request: {
      id: 'r',
      ip: null,
      userAgent: null,
      decided: (decision: object) => records.push(['decided', decision]),
    },
    afterCommit: (run: () => void) => completions.push(run),
  } as unknown as Recorders
  const commit = () => {
    for (const run of completions) run()
  }
  return { recorders, records, commit }
}

const actorId = '00000000-0000-4000-8000-000000000001'
const otherId = '00000000-0000-4000-8000-000000000002'
const login: AuditEvent = { action: 'login', actorId }
const decision = { kind: 'reuse', rule: 'trusted_device_secret' } as const
const message = '[{"id":"m"}]' as NonNullable<Act['messageRows']>

describe('an act', () => {
  it('reaches log, metric, delivery and decisions, after the commit', async () => {
    const { recorders, records, commit } = recording()

    const act = { audit: login, messageRows: message, decision }
    const rows = await performAct(recorders, act, async (given) => given)

    expect(JSON.parse(rows.auditRows)).toMatchObject([{ actor_id: actorId }])
    expect(rows.messageRows).toBe(message)
    expect(records).toEqual([])
    commit()
    expect(records).toEqual([
      ['wake', {}],
      ['log', 'login', actorId],
      ['auth.acts', { 'auth.act': 'login' }],
      ['decided', decision],
    ])
  })

  it.each([null, false])('that did not take place reaches none: %s', async (result) => {
    const { recorders, records, commit } = recording()

    const act = { audit: login, messageRows: message, decision }
    expect(await performAct(recorders, act, async () => result)).toBe(result)
    commit()

    expect(records).toEqual([])
  })

  it('that fails reaches none', async () => {
    const { recorders, records, commit } = recording()

    const failing = performAct(recorders, { audit: login, isConcealed: true }, () =>
      Promise.reject(new Error('no connection')),
    )
    await expect(failing).rejects.toThrow('no connection')
    commit()

    expect(records).toEqual([])
  })

  it.each([true, false])('that is concealed wakes delivery in either case: %s', async (took) => {
    const { recorders, records, commit } = recording()

    await performAct(recorders, { audit: [], isConcealed: true }, async () => took)
    commit()

    expect(records).toEqual([['wake', { isConcealed: true }]])
  })

  describe('with messages of its own', () => {
    const messages = [{ id: 'm', status: 'waiting' } as OutboxRow]

    it('stores them as claimed, and wakes no query', async () => {
      const { recorders, records, commit } = recording()

      const act = { audit: [], messages, isConcealed: true }
      const rows = await performAct(recorders, act, async (given) => given)
      commit()

      expect(JSON.parse(rows.messageRows)).toEqual([{ id: 'm', status: 'sending' }])
      expect(records).toEqual([['messages', true]])
    })

    it('neither delivers them nor wakes a query where the statement did not store them', async () => {
      const results: [unknown, boolean | { areMessagesStored: boolean }][] = [
        [null, false],
        [{}, { areMessagesStored: false }],
      ]
      for (const [result, outcome] of results) {
        const { recorders, records, commit } = recording()
        const act = { audit: [], messages, isConcealed: true }
        await performAct(
          recorders,
          act,
          async () => result,
          () => outcome,
        )
        commit()
        expect(records).toEqual([['messages', false]])
      }
    })

    it('releases them where the statement fails', async () => {
      const { recorders, records } = recording()

      const failing = performAct(recorders, { audit: [], messages }, () =>
        Promise.reject(new Error('no connection')),
      )
      await expect(failing).rejects.toThrow('no connection')

      expect(records).toEqual([['messages', false]])
    })

    it('leaves them to a query inside a transaction, which may be rolled back', async () => {
      const { recorders, records, commit } = recording()

      const rows = await performAct(
        { ...recorders, isInTransaction: true },
        { audit: [], messages },
        async (given) => given,
      )
      commit()

      expect(JSON.parse(rows.messageRows)).toEqual(messages)
      expect(records).toEqual([['wake', {}]])
    })
  })

  it('completes at once where there is no transaction', async () => {
    const { recorders, records } = recording()
    const { afterCommit: _, ...outside } = recorders

    await performAct(outside, { audit: login }, async () => true)

    expect(records).toHaveLength(2)
  })

  it.each<[string, StoredEntries, unknown[]]>([
    ['an actor', { actorId: otherId }, [otherId]],
    ['the users that it reached', { reached: new Set([otherId]) }, [actorId]],
    ['the user of each entry', { about: [otherId] }, [actorId]],
  ])('completes the entries that were stored, by %s', async (_by, stored, actors) => {
    const { recorders, records, commit } = recording()
    const entries = [{ ...login, userId: otherId }, ...('actorId' in stored ? [] : [login])]

    await performAct(
      recorders,
      { audit: entries },
      async () => {},
      () => stored,
    )
    commit()

    expect(records.filter((one) => Array.isArray(one) && one[0] === 'log')).toEqual(
      actors.map((actor) => ['log', 'login', actor]),
    )
    expect(records.filter((one) => Array.isArray(one) && one[0] === 'auth.acts')).toHaveLength(1)
  })
})

describe('several acts of one statement', () => {
  it('are completed as far as they took place', async () => {
    const { recorders, records, commit } = recording()
    const logout: AuditEvent = { action: 'logout', actorId }

    await performActs(
      recorders,
      { stayed: { audit: login }, left: { audit: logout } },
      async ({ stayed, left }) => {
        expect(stayed.auditRows).not.toBe(left.auditRows)
      },
      () => ({ left: true }),
    )
    commit()

    expect(records).toEqual([
      ['log', 'logout', actorId],
      ['auth.acts', { 'auth.act': 'logout' }],
    ])
  })
})

it('an act whose preparation fails releases the messages of the others', async () => {
  const { recorders, records } = recording()
  const messages = [{ id: 'm' }] as OutboxRow[]
  const failing: Act = {
    get audit(): AuditEvent {
      throw new Error('cannot be prepared')
    },
  }

  const acts = { first: { audit: login, messages }, second: failing }
  const performed = performActs(
    recorders,
    acts,
    async () => {},
    () => ({ first: true, second: true }),
  )

  await expect(performed).rejects.toThrow('cannot be prepared')
  expect(records).toEqual([['messages', false]])
})
