import { startQuietServer } from '../../test/support/server-process.ts'
import { type Bench, rotated, siteOf } from '../bench.ts'
import { floor } from '../floor/target.ts'
import { startChild } from '../kit/child-process.ts'
import { secret } from '../kit/people.ts'
import { type Site, visitsOf } from '../kit/site.ts'
import { median } from '../kit/statistics.ts'
import type { Load, LoadFigures } from '../load/generator.ts'
import type { Section } from '../report/section.ts'
import { digits } from '../report/table.ts'
import { latchkey } from '../targets/latchkey/target.ts'

const operation = 'refresh'
const connections = 16
const counts = [1, 2] as const

/** A server with so many workers, on the database of a target. */
interface Served {
  site: Site
  workers: (typeof counts)[number]
  url: string
  stop(): Promise<unknown>
}

/** Measures `latchkey serve` with one worker and with two, and the floor likewise. */
export async function measureWorkers(bench: Bench): Promise<Section> {
  const servers: Served[] = []
  for (const workers of counts) {
    servers.push(await serveOurs(siteOf(bench, latchkey), workers))
    servers.push(await serveFloor(siteOf(bench, floor), workers))
  }
  for (const server of servers) await throughputOf(bench, server, bench.plan.warmUp.other)
  const rounds = new Map<Served, number[]>(servers.map((server) => [server, []]))
  for (let round = 0; round < bench.plan.rounds; round += 1) {
    for (const server of rotated(servers, round)) {
      rounds.get(server)?.push(await throughputOf(bench, server, bench.plan.run.other))
    }
  }
  for (const server of servers) await server.stop()

  const of = (name: string, workers: number) => {
    const server = servers.find((one) => one.site.target.name === name && one.workers === workers)
    return (server && rounds.get(server)) ?? []
  }
  const gains = (name: string) =>
    of(name, 2).map((two, round) => two / (of(name, 1)[round] ?? Number.NaN))
  const gainsOfFloor = gains(floor.name)
  return {
    title: 'Workers',
    note: `Refreshes per second over ${connections} connections: \`latchkey serve --workers\`, and the floor with \`node:cluster\`. PostgreSQL and the load share the cores with the workers, so that a second one gains little.`,
    table: [
      ['target', 'one worker', 'two workers', 'ratio'],
      ...[latchkey, floor].map(({ name }) => [
        name,
        digits(median(of(name, 1))),
        digits(median(of(name, 2))),
        digits(median(gains(name))),
      ]),
    ],
    bars: [
      {
        what: 'refresh: gain of a second worker, against that of the floor',
        measured: median(
          gains(latchkey.name).map((gain, round) => gain / (gainsOfFloor[round] ?? Number.NaN)),
        ),
        unit: '×',
        limit: { atLeast: 0.9 },
      },
    ],
  }
}

async function serveOurs(site: Site, workers: Served['workers']): Promise<Served> {
  const { url, stop } = await startQuietServer(site.databaseUrl, {
    AUTH_JWT_SECRET: secret,
    AUTH_LOG_LEVEL: 'error',
    AUTH_WORKERS: String(workers),
  })
  return { site, workers, url, stop }
}

async function serveFloor(site: Site, workers: Served['workers']): Promise<Served> {
  const server = await startChild('floor/workers.ts', site.databaseUrl, String(workers))
  return { site, workers, url: await server.ask<string>('url'), stop: server.stop }
}

async function throughputOf(
  { generator }: Bench,
  { site, url }: Served,
  count: number,
): Promise<number> {
  const visits = await visitsOf(site, { operation, connections, count })
  const load: Load = { target: site.target.name, operation, url, connections, visits }
  return (await generator.ask<LoadFigures>('send', load)).throughput
}
