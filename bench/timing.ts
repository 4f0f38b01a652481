import type { Bench } from './bench.ts'
import { createDatabase } from './kit/database.ts'
import { emailOf, password } from './kit/people.ts'
import { Population, populate } from './kit/population.ts'
import { openSite, vacuum } from './kit/site.ts'
import { type Interval, shiftBetween } from './kit/statistics.ts'
import { type Connection, encodeRequest, openConnection } from './load/connection.ts'
import type { Bar, Section } from './report/section.ts'
import { digits } from './report/table.ts'
import { latchkey } from './targets/latchkey/target.ts'

// Whether the time of an answer tells who has an account. The same samples with 2 ms more have to stand out:
// else the method would be blind, or the machine too noisy to see anything.

const endpoints = {
  '/token': { path: '/token?grant_type=password', password: 'not their password' },
  '/signup': { path: '/signup', password },
}
type Endpoint = keyof typeof endpoints

const kinds = ['known', 'unknown', 'planted'] as const
type Samples = Record<(typeof kinds)[number], number[]>

const plantedMs = 2
const warmUps = 20

/** By how much answers about a known user come later than about an unknown one. */
export async function measureTiming(bench: Bench): Promise<Section> {
  const database = await createDatabase(bench.postgres, 'timing')
  const people = new Population(3 * bench.plan.timing + warmUps)
  const site = await openSite(latchkey, database, people)
  await populate(site)
  await vacuum(site)
  await site.server.stop()

  // Those people are confirmed. A server that asks new ones for it may not tell who is there already.
  const quiet = { ...latchkey, server: [latchkey.server[0], 'confirmation'] } as typeof latchkey
  const { server, url } = await openSite(quiet, database, people)
  const connection = await openConnection(url)
  const figures = []
  for (const endpoint of ['/token', '/signup'] as const) {
    const samples = await sample(connection, new URL(url).host, endpoint, bench.plan.timing)
    figures.push({
      endpoint,
      honest: shiftBetween(samples.known, samples.unknown),
      planted: shiftBetween(samples.planted, samples.unknown),
    })
  }
  connection.close()
  await server.stop()

  return {
    title: 'Timing',
    note: `How much later a known user is answered than an unknown one, in ms: the Hodges–Lehmann shift over ${bench.plan.timing} samples of each kind, in random order, and its 99 % interval; then the same with ${plantedMs} ms planted.`,
    table: [
      ['endpoint', 'shift', 'interval', 'with 2 ms', 'interval with 2 ms'],
      ...figures.map(({ endpoint, honest, planted }) => [
        ...[endpoint, digits(honest.estimate), printInterval(honest)],
        ...[digits(planted.estimate), printInterval(planted)],
      ]),
    ],
    bars: figures.flatMap(({ endpoint, honest, planted }): Bar[] => [
      {
        what: `timing, ${endpoint}: farther end of the 99 % interval`,
        measured: Math.max(Math.abs(honest.low), Math.abs(honest.high)),
        unit: 'ms',
        limit: { atMost: 1 },
      },
      {
        what: `timing, ${endpoint}: nearer end, with ${plantedMs} ms planted`,
        measured: planted.low,
        unit: 'ms',
        limit: { atLeast: 1 },
      },
    ]),
  }
}

const printInterval = ({ low, high }: Interval): string => `${digits(low)} … ${digits(high)}`

/** Asks about known and unknown people in random order, about nobody twice. */
async function sample(
  connection: Connection,
  host: string,
  endpoint: Endpoint,
  count: number,
): Promise<Samples> {
  const { path, password } = endpoints[endpoint]
  const samples: Samples = { known: [], unknown: [], planted: [] }
  const ask = (email: string) => {
    const request = encodeRequest('POST', path, { host }, { email, password })
    return () => connection.send(request)
  }
  for (let n = 1; n <= warmUps; n += 1) await ask(emailOf(n))()
  for (let n = warmUps + 1; samples.known.length < count; n += kinds.length) {
    for (const [index, kind] of shuffled(kinds).entries()) {
      const email = emailOf(n + index)
      const send = ask(kind === 'unknown' ? email.replace('person', 'nobody') : email)
      samples[kind].push(await timed(send, kind === 'planted' ? plantedMs : 0))
    }
  }
  return samples
}

async function timed(send: () => Promise<unknown>, plantMs: number): Promise<number> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < plantMs);
  await send()
  return performance.now() - startedAt
}

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
