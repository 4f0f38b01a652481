import { runSql } from '../test/support/sql.ts'
import type { Bench } from './bench.ts'
import { startChild } from './kit/child-process.ts'
import { createDatabase } from './kit/database.ts'
import { emailOf, password, sqlOf } from './kit/people.ts'
import { Population, populate } from './kit/population.ts'
import { openSite, type Site, vacuum } from './kit/site.ts'
import { type Interval, median, shiftBetween } from './kit/statistics.ts'
import { type Connection, encodeRequest, openConnection } from './load/connection.ts'
import type { Bar, Section } from './report/section.ts'
import { digits } from './report/table.ts'
import { latchkey } from './targets/latchkey/target.ts'

// Whether the time of an answer tells who has an account. The same samples with 2 ms more have to stand out:
// else the method would be blind, or the machine too noisy to see anything.

interface Endpoint {
  path: string
  /** What is sent beside the address. */
  body: object
  /** What everybody is answered, whether there is such a user or not. */
  status: number
  /** Whether its known people have not confirmed their address yet, so that there is something to tell apart. */
  isUnconfirmed?: boolean
}

const endpoints: Record<string, Endpoint> = {
  '/token': {
    path: '/token?grant_type=password',
    ...{ body: { password: 'not their password' }, status: 400 },
  },
  '/signup': { path: '/signup', body: { password }, status: 200 },
  '/otp': { path: '/otp', body: {}, status: 200 },
  '/magiclink': { path: '/magiclink', body: {}, status: 200 },
  '/recover': { path: '/recover', body: {}, status: 200 },
  '/resend': { path: '/resend', body: { type: 'signup' }, status: 200, isUnconfirmed: true },
}

const kinds = ['known', 'unknown', 'planted'] as const
type Samples = Record<(typeof kinds)[number], number[]>

const plantedMs = 2
const warmUps = 20

/** Nobody is asked about twice, so that no interval between messages is felt. */
const peoplePerEndpoint = ({ plan }: Bench) => kinds.length * plan.timing + warmUps

/** By how much answers about a known user come later than about an unknown one. */
export async function measureTiming(bench: Bench): Promise<Section> {
  const database = await createDatabase(bench.postgres, 'timing')
  const names = Object.keys(endpoints)
  const people = new Population(names.length * peoplePerEndpoint(bench))
  const site = await openSite(latchkey, database, people)
  await populate(site)
  await leaveUnconfirmed(bench, site)
  await vacuum(site)
  await site.server.stop()

  // Those people are confirmed. A server that asks new ones for it may not tell who is there already.
  const mailServer = await startChild('load/mail-server.ts')
  const port = String(await mailServer.ask<number>('port'))
  const mailing = { ...latchkey, server: [latchkey.server[0], port] } as typeof latchkey
  const { server, url } = await openSite(mailing, database, people)
  const connection = await openConnection(url)
  const figures = []
  for (const endpoint of names) {
    const first = firstOf(bench, endpoint)
    const host = new URL(url).host
    const samples = await sample(connection, host, { endpoint, first, count: bench.plan.timing })
    figures.push({
      endpoint,
      middle: median([...samples.known, ...samples.unknown]),
      honest: shiftBetween(samples.known, samples.unknown),
      planted: shiftBetween(samples.planted, samples.unknown),
    })
  }
  connection.close()
  const mails = await mailServer.ask<number>('mails')
  if (mails === 0) throw new Error('no mail arrived')
  await server.stop()
  await mailServer.stop()

  return {
    title: 'Timing',
    note: `How much later a known user is answered than an unknown one, in ms: the Hodges–Lehmann shift over ${bench.plan.timing} samples of each kind, in random order, and its 99 % interval; then the same with ${plantedMs} ms planted. Mails go to a server that takes 200 ms for each; the median is of all answers.`,
    table: [
      ['endpoint', 'median', 'shift', 'interval', 'with 2 ms', 'interval with 2 ms'],
      ...figures.map(({ endpoint, middle, honest, planted }) => [
        ...[endpoint, digits(middle), digits(honest.estimate), printInterval(honest)],
        ...[digits(planted.estimate), printInterval(planted)],
      ]),
    ],
    bars: figures.flatMap(({ endpoint, middle, honest, planted }): Bar[] => [
      ...(endpoint === '/otp'
        ? [{ what: 'time of an answer, /otp: median', ...otpBar, measured: middle }]
        : []),
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

/** Mails are sent after the answer, however long that takes. */
const otpBar = { unit: 'ms', limit: { atMost: 10 } } as const

/** The number of the first person that an endpoint is asked about. */
const firstOf = (bench: Bench, endpoint: string): number =>
  1 + Object.keys(endpoints).indexOf(endpoint) * peoplePerEndpoint(bench)

async function leaveUnconfirmed(bench: Bench, { databaseUrl }: Site): Promise<void> {
  for (const [name, { isUnconfirmed }] of Object.entries(endpoints)) {
    if (!isUnconfirmed) continue
    const first = firstOf(bench, name)
    await runSql(
      databaseUrl,
      `update auth.users set email_confirmed_at = null where email in (select ${sqlOf.email}
      from generate_series(${first}, ${first + peoplePerEndpoint(bench) - 1}) n)`,
    )
  }
}

interface Sampling {
  endpoint: string
  /** The number of the first person. */
  first: number
  count: number
}

/** Asks about known and unknown people in random order, about nobody twice. */
async function sample(
  connection: Connection,
  host: string,
  { endpoint, first, count }: Sampling,
): Promise<Samples> {
  const { path, body, status } = endpoints[endpoint] as Endpoint
  const samples: Samples = { known: [], unknown: [], planted: [] }
  const ask = (email: string) => {
    const request = encodeRequest('POST', path, { host }, { ...body, email })
    return async () => {
      const reply = await connection.send(request)
      if (reply.status !== status) throw new Error(`${endpoint}: ${reply.text()}`)
    }
  }
  for (let n = first; n < first + warmUps; n += 1) await ask(emailOf(n))()
  for (let n = first + warmUps; samples.known.length < count; n += kinds.length) {
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
