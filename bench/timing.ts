import { runSql } from '../test/support/sql.ts'
import type { Bench } from './bench.ts'
import { startChild } from './kit/child-process.ts'
import { createDatabase } from './kit/database.ts'
import { emailOf, password, sqlOf, templateEmail } from './kit/people.ts'
import { Population, populate } from './kit/population.ts'
import { openSite, type Site, vacuum } from './kit/site.ts'
import { type Interval, median, shiftBetween } from './kit/statistics.ts'
import { type Connection, encodeRequest, openConnection } from './load/connection.ts'
import type { Bar, Section } from './report/section.ts'
import { digits } from './report/table.ts'
import { latchkey } from './targets/latchkey/target.ts'

// Whether response times reveal existing accounts. The same samples with 2 ms more must be
// distinguishable: otherwise the method or the machine cannot detect differences.

interface Endpoint {
  method?: string
  path: string
  /** The body beside the address. */
  body: object
  /** The status of all responses, for known and unknown users. */
  status: number
  /** SQL that prepares known users, with a condition on their `email`. */
  given?: (isKnown: string) => string
  /** True where a signed-in user requests the addresses of others. */
  isSignedIn?: boolean
  /**
   * The factor of samples. The interval of an endpoint that computes a hash is wider, because
   * hashes take different times.
   */
  samples?: number
}

const unconfirmed = (isKnown: string) =>
  `update auth.users set email_confirmed_at = null where ${isKnown}`

/** bcrypt of cost 10, as most services create it. */
const imported = (isKnown: string) =>
  `update auth.users set password_hash = '$2b$10$${'a'.repeat(21)}e${'a'.repeat(31)}' where ${isKnown}`

/** A code was sent, and not entered yet. */
const waitingForCode = (isKnown: string) =>
  `insert into auth.one_time_tokens
    (id, user_id, purpose, requested_by, audience, sent_to, token_hash, code_hash, expires_at, created_at)
  select gen_random_uuid(), id, 'recovery', 'recover', audience, email, repeat('a', 43), repeat('b', 43),
    now() + interval '1 hour', now() from auth.users where ${isKnown}`

const endpoints: Record<string, Endpoint> = {
  '/token': {
    path: '/token?grant_type=password',
    body: { password: 'not their password' },
    status: 400,
  },
  // Users from another service, with hashes of its kind.
  '/token imported': {
    path: '/token?grant_type=password',
    body: { password: 'not their password' },
    status: 400,
    given: imported,
  },
  '/signup': { path: '/signup', body: { password }, status: 200, samples: 3 },
  '/otp': { path: '/otp', body: {}, status: 200 },
  '/magiclink': { path: '/magiclink', body: {}, status: 200 },
  '/recover': { path: '/recover', body: {}, status: 200 },
  '/resend': { path: '/resend', body: { type: 'signup' }, status: 200, given: unconfirmed },
  '/verify': {
    path: '/verify',
    body: { type: 'recovery', token: '000000' },
    status: 403,
    given: waitingForCode,
  },
  // Taken and free addresses within the interval of the caller: after it, the status on the wire
  // distinguishes them.
  'PUT /user': { method: 'PUT', path: '/user', body: {}, status: 429, isSignedIn: true },
}

const kinds = ['known', 'unknown', 'planted'] as const
type Samples = Record<(typeof kinds)[number], number[]>

const plantedMs = 2
const warmUps = 20

const samplesOf = ({ plan }: Bench, endpoint: string): number =>
  plan.timing * (endpoints[endpoint]?.samples ?? 1)

/** Each user is requested once, so that no send interval applies. */
const peoplePerEndpoint = (bench: Bench): number =>
  kinds.length * Math.max(...Object.keys(endpoints).map((name) => samplesOf(bench, name))) + warmUps

/** Measures how much later responses for a known user are than for an unknown one. */
export async function measureTiming(bench: Bench): Promise<Section> {
  const database = await createDatabase(bench.postgres, 'timing')
  const names = Object.keys(endpoints).filter((name) => bench.endpoints?.includes(name) ?? true)
  const people = new Population(Object.keys(endpoints).length * peoplePerEndpoint(bench))
  const site = await openSite(latchkey, database, people)
  await populate(site)
  await prepareState(bench, site, names)
  await vacuum(site)
  await site.server.stop()

  // Those users are confirmed. A server that requires confirmation must not reveal existing users.
  const mailServer = await startChild('load/mail-server.ts')
  const port = String(await mailServer.ask<number>('port'))
  const mailing = { ...latchkey, server: [latchkey.server[0], port] } as typeof latchkey
  const served = await openSite(mailing, database, people)
  const { server, url } = served
  const connection = await openConnection(url)
  const figures = []
  for (const endpoint of names) {
    // Autovacuum is off: without this, PostgreSQL plans for tables without the earlier rows.
    await vacuum(served)
    const first = firstOf(bench, endpoint)
    const host = new URL(url).host
    const samples = await sample(connection, host, {
      endpoint,
      first,
      count: samplesOf(bench, endpoint),
    })
    figures.push({
      endpoint,
      middle: median([...samples.known, ...samples.unknown]),
      honest: shiftBetween(samples.known, samples.unknown),
      planted: shiftBetween(samples.planted, samples.unknown),
    })
  }
  connection.close()
  const mails = await mailServer.ask<number>('mails')
  if (mails === 0 && !bench.endpoints) throw new Error('no mail arrived')
  await server.stop()
  await mailServer.stop()

  return {
    title: 'Timing',
    note: `The difference between the response times for a known and an unknown user, in ms: the Hodges–Lehmann shift over ${bench.plan.timing} samples of each kind (three times as many for /signup), in random order, and its 99 % interval; then the same with ${plantedMs} ms planted. Mails go to a server that takes 200 ms for each; the median is of all responses.`,
    table: [
      ['endpoint', 'median', 'shift', 'interval', 'with 2 ms', 'interval with 2 ms'],
      ...figures.map(({ endpoint, middle, honest, planted }) => [
        endpoint,
        digits(middle),
        digits(honest.estimate),
        printInterval(honest),
        digits(planted.estimate),
        printInterval(planted),
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

/** Mails are sent after the response, however long that takes. */
const otpBar = { unit: 'ms', limit: { atMost: 10 } } as const

/** Returns the number of the first user for an endpoint. */
const firstOf = (bench: Bench, endpoint: string): number =>
  1 + Object.keys(endpoints).indexOf(endpoint) * peoplePerEndpoint(bench)

async function prepareState(bench: Bench, { databaseUrl }: Site, names: string[]): Promise<void> {
  for (const name of names) {
    const given = endpoints[name]?.given
    if (!given) continue
    const first = firstOf(bench, name)
    const emails = `select ${sqlOf.email} from generate_series(${first}, ${first + peoplePerEndpoint(bench) - 1}) n`
    await runSql(databaseUrl, given(`email in (${emails})`))
  }
}

interface Sampling {
  endpoint: string
  /** The number of the first user. */
  first: number
  count: number
}

/** Sends requests for known and unknown users in random order, and none twice. */
async function sample(
  connection: Connection,
  host: string,
  { endpoint, first, count }: Sampling,
): Promise<Samples> {
  const { method = 'POST', path, body, status, isSignedIn } = endpoints[endpoint] as Endpoint
  const headers = { host, ...(isSignedIn && (await asTemplate(connection, host))) }
  const samples: Samples = { known: [], unknown: [], planted: [] }
  const ask = (email: string) => {
    const request = encodeRequest(method, path, headers, { ...body, email })
    return async () => {
      const reply = await connection.send(request)
      if (reply.status !== status) throw new Error(`${endpoint}: ${reply.text()}`)
    }
  }
  if (isSignedIn) await beginInterval(connection, encodeRequest(method, path, headers, newAddress))
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

/** Returns the headers of the template user, whose rows the others are copies of. */
async function asTemplate(
  connection: Connection,
  host: string,
): Promise<{ authorization: string }> {
  const credentials = { email: templateEmail, password }
  const request = encodeRequest('POST', '/token?grant_type=password', { host }, credentials)
  const reply = (await connection.send(request)).text()
  const [, token] = /"access_token":"([^"]+)"/.exec(reply) ?? []
  if (token === undefined) throw new Error(`the sign-in failed: ${reply}`)
  return { authorization: `Bearer ${token}` }
}

const newAddress = { email: 'an-address-of-nobody@bench.test' }

async function beginInterval(connection: Connection, request: Buffer): Promise<void> {
  const reply = await connection.send(request)
  if (reply.status !== 200) throw new Error(`the change of address failed: ${reply.text()}`)
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
