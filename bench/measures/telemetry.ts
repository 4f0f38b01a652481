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

/**
 * The number of pairs. Two equal processes differ by a tenth and more from their start, so one pair
 * proves nothing.
 */
const pairs = 5

/** CPU of a request in microseconds, of two processes in direct sequence. */
interface Round {
  off: number
  on: number
}

/** Measures the cost of traces and metrics, both exported by OTLP, for a refresh. */
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

/** Measures two new processes: a process that has served for long is faster than a new one. */
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
  // The code of telemetry has to be compiled, too: both become faster for that long.
  for (let warming = 0; warming < 3; warming += 1)
    for (const site of sites) await cpuOf(site, plan.warmUp.other)
  // Spans are exported by the hundred, which short rounds would not include.
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

/** Accepts everything and parses nothing. */
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
