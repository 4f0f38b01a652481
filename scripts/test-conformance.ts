// `npm run test:conformance`: replays the recorded conformance cases against the built service and
// compares each response with the OpenAPI document. It fails when a case fails that
// expected-failures.ts does not list, when a listed case passes, and for a response that the
// document does not describe.
//
// The runner is beside the checkout, or at CONFORMANCE_RUNNER; arguments such as
// `-- --area verify --only 'used once' --verbose` are passed to it. It starts a PostgreSQL, unless
// CONFORMANCE_DATABASE_URL_BASE contains a server with the right to create databases. TEST_POOLER
// puts a pooler in front of it. With TEST_CLUSTER=patroni the server is a cluster, whose primary is
// killed once while the cases of a profile run: requests that return 503 or 504 are repeated, and a
// case that fails is replayed without a failover.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startPooler } from '../test/support/pooler.ts'
import { startPostgres } from '../test/support/start-postgres.ts'
import { areasNotBuilt, contradictedCases } from './conformance/expected-failures.ts'
import { type FailingCluster, startFailingCluster } from './conformance/failing-cluster.ts'

/** A replayed case, as the runner reports it. */
interface CaseResult {
  name: string
  area: string
  passed: boolean
  /** The step that failed, and its differences. */
  step?: string
  differences?: string[]
}

const { env } = process
const besideCheckout = new URL('../../shared/conformance/conformance.mjs', import.meta.url).pathname
const server = new URL('conformance/checked-server.ts', import.meta.url).pathname
const runner = env['CONFORMANCE_RUNNER'] ?? besideCheckout
const selection = process.argv.slice(2)

if (existsSync(runner)) process.exitCode = await check()
else console.error(`NOT RUN: there are no conformance cases at ${runner}`)

/** Runs the cases and reports the unexpected results. */
async function check(): Promise<number> {
  const { status, results, responses, repeated } = await replay()
  const objections = [...new Set(responses.filter((line) => line !== ''))]
  const problems = [...results.flatMap(unexpected), ...staleEntries(results)]
  if (results.length === 0)
    problems.push(`FAIL the runner ended with ${status} and without results`)
  if (responses.length === 0) problems.push('FAIL the service sent no response')
  if (env['TEST_CLUSTER']) {
    console.log(`${repeated.length} responses with 503 or 504, whose requests were repeated`)
    if (repeated.length === 0)
      problems.push('FAIL no request was repeated, so no failover was seen')
    problems.push(...repeated.filter((line) => line.startsWith('FAIL')))
  }

  for (const name of results.filter(({ passed }) => !passed).map(keyOf)) {
    const reason = contradictedCases[name]
    if (reason) console.log(`expected: ${name}: ${reason}`)
  }
  for (const line of [...objections.map((objection) => `FAIL OpenAPI: ${objection}`), ...problems])
    console.error(line)
  const passed = results.filter((result) => result.passed).length
  console.log(
    `conformance: ${passed} of ${results.length} cases passed, ${problems.length} unexpected; ` +
      `${responses.length} responses, ${objections.length} not as in the OpenAPI document`,
  )
  return problems.length + objections.length === 0 ? 0 : 1
}

/** Runs the cases against {@link server}. */
async function replay() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-conformance-'))
  const [file, repeatedFile] = [join(folder, 'responses'), join(folder, 'repeated')]
  for (const one of [file, repeatedFile]) writeFileSync(one, '')
  const target = `${process.execPath} --conditions=latchkey-source ${server}`
  const given = env['CONFORMANCE_DATABASE_URL_BASE']
  const cluster = env['TEST_CLUSTER'] ? await startFailingCluster() : null
  const postgres = cluster || given ? null : await startPostgres()
  const base = cluster?.databaseUrl ?? postgres?.url ?? given ?? ''
  const pooler = await startPooler(base)
  const run = (words: string[], settings: Record<string, string> = {}) =>
    runRunner([runner, '--json', '--target', target, ...words], {
      CONFORMANCE_DATABASE_URL_BASE: base,
      ...(pooler && { CONFORMANCE_POOLED: JSON.stringify(pooler.pooled) }),
      CONFORMANCE_RESPONSES: file,
      ...settings,
    })
  const { status, stdout } = await run(
    [...selectedAreas(), ...selection],
    cluster ? { CONFORMANCE_KILL_URL: cluster.killUrl, CONFORMANCE_REPEATED: repeatedFile } : {},
  )
  const repeated = readLines(repeatedFile)
  const first = readResults(stdout)
  const results = cluster ? await replayFailed(cluster, first, run) : first
  await pooler?.stop()
  await cluster?.stop()
  await postgres?.stop()
  const responses = readLines(file)
  rmSync(folder, { recursive: true })
  return { status, results, responses, repeated }
}

type Run = (words: string[]) => Promise<{ stdout: string }>

/**
 * Replays cases that failed during a failover. A repeated request reports that the first one took
 * effect, which the case does not expect.
 */
async function replayFailed(
  cluster: FailingCluster,
  results: CaseResult[],
  run: Run,
): Promise<CaseResult[]> {
  await cluster.whenSafe()
  console.log(`${cluster.failovers()} failovers`)
  const replayed: CaseResult[] = []
  for (const result of results) {
    if (unexpected(result).length === 0) {
      replayed.push(result)
      continue
    }
    console.log(`replayed without a failover: ${unexpected(result).join('; ')}`)
    const { stdout } = await run(['--area', result.area, '--only', result.name])
    const again = readResults(stdout).find((one) => keyOf(one) === keyOf(result))
    replayed.push(again ?? result)
  }
  return replayed
}

async function runRunner(words: string[], settings: Record<string, string>) {
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, ...settings },
  })
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => parts.push(part))
  const [status] = await once(child, 'close')
  return { status: status as number | null, stdout: Buffer.concat(parts).toString() }
}

function readLines(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1)
}

function readResults(document: string): CaseResult[] {
  try {
    return JSON.parse(document).results
  } catch {
    console.error(document)
    return []
  }
}

/** The areas that are built, unless the arguments select others. */
function selectedAreas(): string[] {
  if (selection.some((word) => word.startsWith('--area'))) return []
  const areas = recordedAreas().filter((area) => !(area in areasNotBuilt))
  console.log(`not run, since not built: ${Object.keys(areasNotBuilt).join(', ')}`)
  return areas.flatMap((area) => ['--area', area])
}

function recordedAreas(): string[] {
  const scenarios = join(dirname(runner), 'scenarios')
  return readdirSync(scenarios).map((file) => file.replace(/\.json$/, ''))
}

function keyOf({ area, name }: CaseResult): string {
  return `${area}/${name}`
}

/** The problem with a result; none for a case that passes, or that fails as listed. */
function unexpected(result: CaseResult): string[] {
  const name = keyOf(result)
  if (result.passed === !(name in contradictedCases)) return []
  if (result.passed) return [`FAIL ${name}: it passes; remove it from expected-failures.ts`]
  const details = result.differences?.map((line) => `     ${line}`) ?? []
  return [[`FAIL ${name}: ${result.step}`, ...details].join('\n')]
}

/**
 * Returns entries of the lists without a recorded case. A selection of cases proves nothing about
 * the others.
 */
function staleEntries(results: CaseResult[]): string[] {
  if (selection.length > 0) return []
  const recorded = new Set([...results.map(keyOf), ...recordedAreas()])
  return [...Object.keys(areasNotBuilt), ...Object.keys(contradictedCases)]
    .filter((entry) => !recorded.has(entry))
    .map((entry) => `FAIL ${entry}: it is not recorded; remove it from expected-failures.ts`)
}
