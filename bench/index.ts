import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runSql } from '../test/support/sql.ts'
import type { PostgresServer } from '../test/support/start-postgres.ts'
import type { Bench } from './bench.ts'
import { buildScripts } from './kit/build.ts'
import { startChild } from './kit/child-process.ts'
import { createDatabase, startDatabase } from './kit/database.ts'
import { Population, populate } from './kit/population.ts'
import { openSite, type Site } from './kit/site.ts'
import { measureAdmin } from './measures/admin.ts'
import { measureCodeByMail } from './measures/code-by-mail.ts'
import { measureConstant } from './measures/constant.ts'
import { measureGrowth } from './measures/growth.ts'
import { measureHostLatency } from './measures/host-latency.ts'
import { measureImportCost } from './measures/import-cost.ts'
import { measureOauthRefresh } from './measures/oauth-refresh.ts'
import { measureOperations } from './measures/operations.ts'
import { measurePages } from './measures/pages.ts'
import { measureReadInput } from './measures/read-input.ts'
import { measureStartAndMemory } from './measures/start-and-memory.ts'
import { measureTelemetry } from './measures/telemetry.ts'
import { measureVerify } from './measures/verify.ts'
import { measureWireCosts } from './measures/wire-costs.ts'
import { measureWorkers } from './measures/workers.ts'
import { fullPlan, type Plan, quickPlan } from './plan.ts'
import { printBars, printCircumstances, printSection } from './report/report.ts'
import type { Section } from './report/section.ts'
import { targets } from './targets/targets.ts'
import { measureTiming } from './timing.ts'

// `npm run bench`: measures Latchkey beside other libraries, prints the results and writes
// RESULTS.md. `-- --quick` takes two minutes and writes nothing; `-- --only timing,growth` measures
// a part, and writes nothing either; `-- --only timing --endpoints '/verify,PUT /user'` restricts
// the timing to these.
//
// Flags of Node apply to all processes: `node --cpu-prof bench/index.ts --only operations` profiles
// them, `node --conditions=latchkey-source bench/index.ts` measures `src/` unbuilt.

const measures: Record<string, (bench: Bench) => Promise<Section | Section[]>> = {
  import: measureImportCost,
  verify: measureVerify,
  'read-input': measureReadInput,
  operations: measureOperations,
  constant: measureConstant,
  pages: measurePages,
  wire: measureWireCosts,
  'oauth-refresh': measureOauthRefresh,
  'code-by-mail': measureCodeByMail,
  workers: measureWorkers,
  host: measureHostLatency,
  memory: measureStartAndMemory,
  telemetry: measureTelemetry,
  timing: measureTiming,
  growth: measureGrowth,
  admin: measureAdmin,
}

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    endpoints: { type: 'string' },
  },
})
const endpoints = flags.endpoints?.split(',')
const chosen = flags.only?.split(',') ?? Object.keys(measures)

const startedAt = performance.now()
await buildScripts()
const postgres = await startDatabase()
try {
  await measureAll(postgres, flags.quick ? quickPlan : fullPlan)
} finally {
  await postgres.stop()
}
// The process of esbuild, which tsup leaves running, can keep Node 24 from ending by itself.
process.exit()

async function measureAll(postgres: PostgresServer, plan: Plan): Promise<void> {
  const generator = await startChild('load/generator.ts')
  const sites = await openSites(postgres, plan)
  const sections: Section[] = []
  for (const name of chosen) {
    const measure = measures[name]
    if (!measure) throw new Error(`there is no measure ${name}`)
    console.error(`measuring: ${name} …`)
    const measured = [await measure({ plan, postgres, generator, sites, endpoints })].flat()
    sections.push(...measured)
    for (const section of measured) console.log(printSection(section))
  }
  for (const { server } of sites) await server.stop()
  await generator.stop()

  const bars = printBars(sections)
  const [row] = await runSql(postgres.url, `select current_setting('server_version') as version`)
  const circumstances = printCircumstances({
    plan,
    postgresVersion: String(row?.['version']),
    seconds: (performance.now() - startedAt) / 1000,
  })
  console.log(`${bars}\n${circumstances}`)
  if (flags.quick || flags.only || flags.endpoints) return
  const parts = ['# Results of `npm run bench`', circumstances, bars, ...sections.map(printSection)]
  writeFileSync(
    new URL('RESULTS.md', import.meta.url),
    parts.join('\n\n').replace(/\n{3,}/g, '\n\n'),
  )
}

async function openSites(postgres: PostgresServer, plan: Plan): Promise<Site[]> {
  const sites: Site[] = []
  for (const [index, target] of targets.entries()) {
    const database = await createDatabase(postgres, `target_${index}`)
    const people = new Population(plan.people)
    const first = await openSite(target, database, people)
    await populate(first)
    // The process that created the tables is not measured: a new one starts, as after any later
    // deployment.
    await first.server.stop()
    sites.push(await openSite(target, database, people))
  }
  return sites
}
