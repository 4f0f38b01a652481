import { expect, it } from 'vitest'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { statement } from '../../platform/sql/statement.ts'
import { watchOutages } from './watch-outages.ts'

const ping = statement<Record<string, never>>('ping', () => 'select 1', { unprepared: 'a test' })

/** A database whose statements succeed or fail when the test decides it. */
function startWatch() {
  let nowMs = 0
  const running: { resolve(rows: never[]): void; reject(error: unknown): void }[] = []
  const outages = watchOutages(() => nowMs)
  const sql = outages.watch({
    table: (name) => name,
    query: () => new Promise<never[]>((resolve, reject) => running.push({ resolve, reject })),
  })
  const begin = () => {
    const result = sql.query(ping, {}).catch(() => null)
    const one = running.at(-1)
    const end = async (error?: unknown) => {
      if (error) one?.reject(error)
      else one?.resolve([])
      await result
    }
    return { succeed: () => end(), fail: (error: unknown = lost()) => end(error) }
  }
  return {
    begin,
    pass: (ms: number) => {
      nowMs += ms
    },
    lostMs: outages.lostMs,
  }
}

const lost = () => serviceUnavailable('The database cannot be reached', new Error('a test'))

it('counts from the start of the first statement that failed until the next success', async () => {
  const { begin, pass, lostMs } = startWatch()
  const first = begin()
  pass(100)
  await first.fail()
  pass(20_000)
  expect(lostMs()).toBe(20_100)

  await begin().fail()
  await begin().succeed()
  pass(50_000)
  expect(lostMs()).toBe(20_100)
})

it('ends a minute after the outage', async () => {
  const { begin, pass, lostMs } = startWatch()
  const first = begin()
  pass(3_000)
  await first.fail()
  await begin().succeed()
  pass(60_000)
  expect(lostMs()).toBe(3_000)

  pass(1)
  expect(lostMs()).toBe(0)
})

it('adds outages that follow each other, and counts no time twice', async () => {
  const { begin, pass, lostMs } = startWatch()
  const [first, second] = [begin(), begin()]
  pass(1_000)
  await first.fail()
  await begin().succeed()
  pass(500)
  await second.fail()
  await begin().succeed()
  expect(lostMs()).toBe(1_500)

  const third = begin()
  pass(250)
  await third.fail()
  await begin().succeed()
  expect(lostMs()).toBe(1_750)
})

it('counts a statement that has no result yet, as on a connection that is silent', async () => {
  const { begin, pass, lostMs } = startWatch()
  const silent = begin()
  pass(4_000)
  expect(lostMs()).toBe(0)
  await begin().succeed()
  pass(6_000)
  expect(lostMs()).toBe(6_000)

  await silent.succeed()
  expect(lostMs()).toBe(0)
})

it('ignores errors of other kinds', async () => {
  const { begin, pass, lostMs } = startWatch()
  const wrong = begin()
  pass(2_000)
  await wrong.fail(new Error('a division by zero'))
  expect(lostMs()).toBe(0)
})

it('counts no time in which other statements succeed, as while clients wait for connections', async () => {
  const { begin, pass, lostMs } = startWatch()
  const waiting = begin()
  for (let seconds = 0; seconds < 30; seconds += 1) {
    pass(1_000)
    await begin().succeed()
  }
  await waiting.fail()
  pass(100)
  await begin().succeed()
  expect(lostMs()).toBe(100)
})

it('counts a minute after the last failure at most, as where no request follows for hours', async () => {
  const { begin, pass, lostMs } = startWatch()
  const first = begin()
  pass(2_000)
  await first.fail()
  pass(6 * 3_600_000)
  expect(lostMs()).toBe(62_000)

  await begin().succeed()
  expect(lostMs()).toBe(0)
})
