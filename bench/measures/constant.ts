import { type Bench, rotated, siteOf } from '../bench.ts'
import { floor } from '../floor/target.ts'
import { type Figures, run } from '../kit/site.ts'
import { median } from '../kit/statistics.ts'
import type { Section } from '../report/section.ts'
import { digits } from '../report/table.ts'
import { latchkey } from '../targets/latchkey/target.ts'
import type { ConstantOperation, Target } from '../targets/target.ts'

const operations: readonly ConstantOperation[] = ['health', 'settings', 'keys']
const connections = 8

/** Measures responses that are the same for all requests, beside those of the floor. */
export async function measureConstant(bench: Bench): Promise<Section> {
  const { generator, plan } = bench
  const sites = [siteOf(bench, latchkey), siteOf(bench, floor)]
  const figures = new Map<string, Figures[]>()
  const of = (target: Target, operation: ConstantOperation) =>
    figures.get(`${operation} ${target.name}`) ?? []
  for (const operation of operations)
    for (const site of sites)
      await run(generator, site, { operation, connections, count: plan.warmUp.other })
  for (let round = 0; round < plan.rounds; round += 1)
    for (const operation of operations)
      for (const site of rotated(sites, round)) {
        const count = 3 * plan.run.other
        const measured = await run(generator, site, { operation, connections, count })
        const key = `${operation} ${site.target.name}`
        figures.set(key, [...(figures.get(key) ?? []), measured])
      }
  const middle = (all: Figures[], pick: (each: Figures) => number) => digits(median(all.map(pick)))
  return {
    title: 'Constant responses',
    note: `\`/health\`, \`/settings\` and the keys, over ${connections} connections. The floor responds with a shorter body.`,
    table: [
      ['operation', 'target', 'req/s', 'CPU µs'],
      ...operations.flatMap((operation) =>
        [latchkey, floor].map((target) => [
          operation,
          target.name,
          middle(of(target, operation), ({ throughput }) => throughput),
          middle(of(target, operation), ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest),
        ]),
      ),
    ],
    bars: operations.map((operation) => ({
      what: `${operation}: throughput, against the floor`,
      measured: median(
        of(latchkey, operation).map(
          ({ throughput }, round) =>
            throughput / (of(floor, operation)[round]?.throughput ?? Number.NaN),
        ),
      ),
      unit: '×',
      limit: { atLeast: 0.9 },
    })),
  }
}
