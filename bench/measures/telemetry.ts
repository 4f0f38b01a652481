import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Bench, rotated, siteOf } from '../bench.ts'
import { openSite, run, type Site } from '../kit/site.ts'
import { median } from '../kit/statistics.ts'
import type { Section } from '../report/section.ts'
import { digits } from '../report/table.ts'
import { latchkey } from '../targets/latchkey/target.ts'
import type { Target } from '../targets/target.ts'

const operation = 'refresh'
const connections = 8

/** Processes that do the same differ by a tenth and more from their first request on: one pair would tell of itself. */
const pairs = 5

/** CPU of a request in microseconds, of two processes one right after the other. */
interface Round {
  off: number
  on: number
}

/** What traces and metrics, both exported by OTLP, cost a refresh. */
export async function measureTelemetry(bench: Bench): Promise<Section> {
  const collector = await startCollector()
  const costs: Round[] = []
  for (let pair = 0; pair < pairs; pair += 1)
    costs.push(...(await measurePair(bench, collector.url)))
  await collector.close()
  return {
    title: 'Telemetry',
    note: `CPU of a refresh, without and with traces and metrics, every one of them exported by OTLP over HTTP: the median of all rounds of ${pairs} pairs of new processes, once they are warm. The collector took ${collector.requests()} requests.`,
    table: [
      ['telemetry', 'CPU µs'],
      ['off', digits(median(costs.map(({ off }) => off)))],
      ['on', digits(median(costs.map(({ on }) => on)))],
    ],
    bars: [
      {
        what: 'refresh: CPU with telemetry, against without',
        measured: median(costs.map(({ on, off }) => on / off)),
        unit: '×',
        limit: { atMost: 1.15 },
      },
    ],
  }
}

/** Both are new: a process that has served for long is quicker than one that has not. */
async function measurePair(bench: Bench, collectorUrl: string): Promise<Round[]> {
  const { databaseUrl, people } = siteOf(bench, latchkey)
  const { generator, plan } = bench
  const open = (...options: string[]) => {
    const target: Target = { ...latchkey, server: ['targets/latchkey/server.ts', ...options] }
    return openSite(target, databaseUrl, people)
  }
  const [plain, observed] = [await open(), await open('', collectorUrl)]
  const sites = [plain, observed]
  const cpuOf = async (site: Site, count: number) =>
    (await run(generator, site, { operation, connections, count })).cpuMicrosPerRequest
  // Telemetry has code of its own to be compiled: both go on getting quicker for that long.
  for (let warming = 0; warming < 3; warming += 1)
    for (const site of sites) await cpuOf(site, plan.warmUp.other)
  // Spans leave by the hundred: short rounds would not all see that.
  const count = Math.max(plan.run.other, 2000)
  const rounds: Round[] = []
  for (let round = 0; round < plan.rounds; round += 1) {
    const cpu = new Map<Site, number>()
    for (const site of rotated(sites, round)) cpu.set(site, await cpuOf(site, count))
    rounds.push({ off: cpu.get(plain) ?? Number.NaN, on: cpu.get(observed) ?? Number.NaN })
  }
  for (const { server } of sites) await server.stop()
  return rounds
}

/** Takes everything and looks at nothing. */
async function startCollector() {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    request.resume().on('end', () => response.writeHead(200).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
