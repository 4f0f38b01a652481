import { startWireProxy } from '../../test/support/wire-proxy.ts'
import { type Bench, operations, volumeOf } from '../bench.ts'
import { walBytes } from '../kit/database.ts'
import { openSite, type Site, send, visitsOf } from '../kit/site.ts'
import type { Bar, Section } from '../report/section.ts'
import { digits, type Table } from '../report/table.ts'
import { latchkey } from '../targets/latchkey/target.ts'
import type { Operation } from '../targets/target.ts'

/** The cost of one request for the database. */
interface WireCost {
  site: Site
  operation: Operation
  statements: number
  trips: number
  walBytes: number
}

/**
 * Counts statements and round trips between a server and PostgreSQL, and the bytes that PostgreSQL
 * writes.
 */
export async function measureWireCosts(bench: Bench): Promise<Section> {
  const costs: WireCost[] = []
  for (const site of bench.sites) {
    for (const counted of await countOnTheWire(bench, site)) {
      costs.push({ ...counted, site, walBytes: await walOf(bench, site, counted.operation) })
    }
  }
  return {
    title: 'On the wire',
    note: 'Per request: statements (BEGIN and COMMIT are two), round trips, and bytes of write-ahead log. No checkpoint ran since the pages were last written, so none of them is a copy of a whole page.',
    table: tableOf(costs),
    bars: barsOf(costs.filter(({ site }) => site.target === latchkey)),
  }
}

/**
 * Counts through a proxy, with a second server on the same database, one request after the other.
 */
async function countOnTheWire({ generator, plan }: Bench, site: Site) {
  const proxy = await startWireProxy(site.databaseUrl)
  const proxied = await openSite(site.target, proxy.url, site.people)
  const counts = []
  for (const operation of operations.filter((name) => site.target.asks[name])) {
    const once = { operation, connections: 1, count: 1 }
    // The first request opens the connection, and is not counted.
    await send(generator, proxied, once, await visitsOf(site, once))
    const given = { ...once, count: plan.wire }
    const visits = await visitsOf(site, given)
    proxy.reset()
    await send(generator, proxied, given, visits)
    const { statements, trips } = proxy.counts()
    counts.push({ operation, statements: statements / plan.wire, trips: trips / plan.wire })
  }
  await proxied.server.stop()
  await proxy.close()
  return counts
}

async function walOf(
  { generator, plan }: Bench,
  site: Site,
  operation: Operation,
): Promise<number> {
  const given = { operation, connections: 4, count: volumeOf(operation, plan.wal) }
  const visits = await visitsOf(site, given)
  const bytes = await walBytes(site.databaseUrl, () => send(generator, site, given, visits))
  return bytes / given.count
}

function tableOf(costs: WireCost[]): Table {
  const head = ['operation', 'target', 'statements', 'trips', 'WAL bytes']
  const rows = operations.flatMap((name) =>
    costs
      .filter(({ operation }) => operation === name)
      .map(({ site, statements, trips, walBytes }) => [
        name,
        site.target.name,
        short(statements),
        short(trips),
        walBytes.toFixed(0),
      ]),
  )
  return [head, ...rows]
}

const short = (count: number): string => (Number.isInteger(count) ? `${count}` : digits(count))

/** The maximum of statements and trips. */
const budgets: [operation: Operation, statements: number, trips: number][] = [
  ['refresh', 1, 1],
  ['get-user', 1, 1],
  ['sign-in', 3, 2],
  ['sign-up', 3, 2],
  ['sign-out', 1, 1],
]

/** The maximum of write-ahead log. */
const walBudgets: [operation: Operation, bytes: number][] = [
  ['refresh', 500],
  ['sign-in', 1100],
  ['sign-up', 2000],
]

function barsOf(costs: WireCost[]): Bar[] {
  const costOf = (name: Operation) => costs.find(({ operation }) => operation === name)
  const bar = (what: string, measured: number | undefined, atMost: number): Bar => ({
    what,
    measured: measured ?? Number.NaN,
    unit: '',
    limit: { atMost },
  })
  return [
    ...budgets.flatMap(([operation, statements, trips]) => [
      bar(`${operation}: statements`, costOf(operation)?.statements, statements),
      bar(`${operation}: trips`, costOf(operation)?.trips, trips),
    ]),
    ...walBudgets.map(
      ([operation, bytes]): Bar => ({
        ...bar(`${operation}: WAL`, costOf(operation)?.walBytes, bytes),
        unit: 'bytes',
      }),
    ),
  ]
}
