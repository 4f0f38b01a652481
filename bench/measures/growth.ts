import { type Bench, rotated } from '../bench.ts'
import { createDatabase } from '../kit/database.ts'
import { Population, populate } from '../kit/population.ts'
import { type Figures, openSite, run, type Site, vacuum } from '../kit/site.ts'
import { median } from '../kit/statistics.ts'
import type { Bar, Section } from '../report/section.ts'
import { digits } from '../report/table.ts'
import { latchkey } from '../targets/latchkey/target.ts'
import type { Operation } from '../targets/target.ts'

const grows = ['refresh', 'get-user'] as const satisfies Operation[]
type Growing = (typeof grows)[number]

/** One concurrent request: more would wait for the cores, whatever the number of users. */
const connections = 1

/** The ratio by which median and CPU may differ between two runs of the same size. */
const noGrowth = 1.15

/** Measures whether the most frequent operations take longer with more users. */
export async function measureGrowth(bench: Bench): Promise<Section> {
  const { plan, generator } = bench
  const sites = await openSites(bench)
  const rounds = new Map<string, Figures[]>()
  for (let round = -1; round < plan.rounds; round += 1) {
    const count = round < 0 ? plan.growth.warmUp : plan.growth.run
    for (const operation of grows) {
      for (const site of rotated(sites, Math.max(round, 0))) {
        const figures = await run(generator, site, { operation, connections, count })
        const key = keyOf(operation, site)
        if (round >= 0) rounds.set(key, [...(rounds.get(key) ?? []), figures])
      }
    }
  }
  for (const { server } of sites) await server.stop()

  const figuresOf = (operation: Growing, site: Site) => rounds.get(keyOf(operation, site)) ?? []
  return {
    title: 'Growth',
    note: 'Latchkey with so many users, each with a session; requests go to all of them in turn, one at a time.',
    table: [
      ['operation', 'users', 'p50 ms', 'p99 ms', 'CPU µs'],
      ...grows.flatMap((operation) =>
        sites.map((site) => {
          const middle = (pick: (each: Figures) => number) =>
            digits(median(figuresOf(operation, site).map(pick)))
          return [
            operation,
            site.people.size.toLocaleString('en'),
            middle((each) => each.p50),
            middle((each) => each.p99),
            middle((each) => each.cpuMicrosPerRequest),
          ]
        }),
      ),
    ],
    bars: grows.flatMap((operation) => barsOf(operation, sites, figuresOf)),
  }
}

async function openSites({ plan, postgres }: Bench): Promise<Site[]> {
  const sites: Site[] = []
  for (const size of plan.growth.sizes) {
    const database = await createDatabase(postgres, `growth_${size}`)
    const site = await openSite(latchkey, database, new Population(size))
    await populate(site)
    await vacuum(site)
    sites.push(site)
  }
  return sites
}

function barsOf(
  operation: Growing,
  sites: Site[],
  figuresOf: (operation: Growing, site: Site) => Figures[],
): Bar[] {
  const [smallest, largest] = [sites[0], sites.at(-1)]
  if (!smallest || !largest) return []
  const [few, many] = [figuresOf(operation, smallest), figuresOf(operation, largest)]
  const growth = (pick: (each: Figures) => number) =>
    median(many.map((each, round) => pick(each) / pick(few[round] ?? each)))
  const what = `${operation}: ${largest.people.size.toLocaleString('en')} against ${smallest.people.size.toLocaleString('en')} users`
  return [
    { what: `${what}, p50`, measured: growth((each) => each.p50) },
    { what: `${what}, CPU`, measured: growth((each) => each.cpuMicrosPerRequest) },
  ].map((bar) => ({ ...bar, unit: '×', limit: { atMost: noGrowth } }))
}

const keyOf = (operation: Growing, { people }: Site): string => `${operation} ${people.size}`
