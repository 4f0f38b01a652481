import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Bench, rotated } from '../bench.ts'
import { median } from '../kit/statistics.ts'
import type { Section } from '../report/section.ts'
import { digits } from '../report/table.ts'

const packages = ['latchkey', 'h3', 'better-auth'] as const
type Package = (typeof packages)[number]

interface ImportCost {
  ms: number
  bytes: number
}

/** Measures the cost of the import in an application, before anything runs. */
export async function measureImportCost({ plan }: Bench): Promise<Section> {
  const rounds: Record<Package, ImportCost[]> = { latchkey: [], h3: [], 'better-auth': [] }
  for (let round = -1; round < plan.imports; round += 1) {
    for (const name of rotated(packages, Math.max(0, round))) {
      const cost = importInNewProcess(name)
      // The first import reads the files from the disk.
      if (round >= 0) rounds[name].push(cost)
    }
  }
  return {
    title: 'Import',
    note: `\`import\` in a new process, ${plan.imports} times each in turn: the medians.`,
    table: [
      ['package', 'ms', 'MB'],
      ...packages.map((name) => [
        name,
        digits(median(rounds[name].map(({ ms }) => ms))),
        digits(median(rounds[name].map(({ bytes }) => bytes)) / 1e6),
      ]),
    ],
    bars: [
      {
        what: 'import: ms, against h3 alone',
        measured: median(rounds.latchkey.map(({ ms }, round) => ms / (rounds.h3[round]?.ms ?? 0))),
        unit: '×',
        limit: { atMost: 1.5 },
      },
    ],
  }
}

const script = fileURLToPath(new URL('../kit/import-cost.mjs', import.meta.url))

const importInNewProcess = (name: Package): ImportCost =>
  JSON.parse(execFileSync(process.execPath, [script, name], { encoding: 'utf8' }))
