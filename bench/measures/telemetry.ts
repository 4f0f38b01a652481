import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Bench, rotated, siteOf } from '../bench.ts'
import { type Figures, openSite, run, type Site } from '../kit/site.ts'
import { median } from '../kit/statistics.ts'
import type { Section } from '../report/section.ts'
import { digits } from '../report/table.ts'
import { latchkey } from '../targets/latchkey/target.ts'
import type { Target } from '../targets/target.ts'

const operation = 'refresh'
const connections = 8

/** What traces and metrics, both exported by OTLP, cost a refresh. */
export async function measureTelemetry(bench: Bench): Promise<Section> {
  const { databaseUrl, people } = siteOf(bench, latchkey)
  const collector = await startCollector()
  // Both are new: a process that has served for long is quicker than one that has not.
  const open = (...options: string[]) => {
    const target: Target = { ...latchkey, server: ['targets/latchkey/server.ts', ...options] }
    return openSite(target, databaseUrl, people)
  }
  const [plain, observed] = [await open(), await open('', collector.url)]
  const { generator, plan } = bench
  const sites = [plain, observed]
  const figures = new Map<Site, Figures[]>(sites.map((site) => [site, []]))
  for (const site of sites)
    await run(generator, site, { operation, connections, count: plan.warmUp.other })
  // Spans leave by the hundred: short rounds would not all see that.
  const count = Math.max(plan.run.other, 2000)
  for (let round = 0; round < plan.rounds * 2; round += 1) {
    for (const site of rotated(sites, round)) {
      const ran = await run(generator, site, { operation, connections, count })
      figures.get(site)?.push(ran)
    }
  }
  for (const { server } of sites) await server.stop()
  await collector.close()

  const cpuOf = (site: Site) => (figures.get(site) ?? []).map((each) => each.cpuMicrosPerRequest)
  const [off, on] = [cpuOf(plain), cpuOf(observed)]
  return {
    title: 'Telemetry',
    note: `CPU of a refresh, without and with traces and metrics, every one of them exported by OTLP over HTTP. The collector took ${collector.requests()} requests.`,
    table: [
      ['telemetry', 'CPU µs'],
      ['off', digits(median(off))],
      ['on', digits(median(on))],
    ],
    bars: [
      {
        what: 'refresh: CPU with telemetry, against without',
        measured: median(on.map((value, round) => value / (off[round] ?? Number.NaN))),
        unit: '×',
        limit: { atMost: 1.15 },
      },
    ],
  }
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
