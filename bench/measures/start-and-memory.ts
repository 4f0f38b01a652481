import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Bench, rotated, siteOf } from '../bench.ts'
import { floor } from '../floor/target.ts'
import { secret } from '../kit/people.ts'
import { openSite, run, type Site } from '../kit/site.ts'
import { median } from '../kit/statistics.ts'
import type { Section } from '../report/section.ts'
import { digits, type Table } from '../report/table.ts'
import { latchkey } from '../targets/latchkey/target.ts'
import type { Usage } from '../targets/serve.ts'

interface Start {
  ms: number
  idleBytes: number
}

const settleMs = 1000
/** The connections at which the memory of new processes is compared. */
const connections = 64

/**
 * Measures the time of a server's start, its memory then, at many connections, and its peak under
 * the load of this bench.
 */
export async function measureStartAndMemory(bench: Bench): Promise<Section> {
  const starts = new Map<Site, Start[]>(bench.sites.map((site) => [site, []]))
  for (let round = 0; round < bench.plan.starts; round += 1) {
    for (const site of rotated(bench.sites, round)) starts.get(site)?.push(await startAgain(site))
  }
  const peaks = new Map<Site, number>()
  for (const site of bench.sites) {
    const { peakRssBytes } = await site.server.ask<Usage>('usage')
    peaks.set(site, peakRssBytes)
  }
  const [ours, smallest] = [siteOf(bench, latchkey), siteOf(bench, floor)]
  const busy = new Map<Site, number[]>([ours, smallest].map((site) => [site, []]))
  for (let round = 0; round < bench.plan.starts; round += 1) {
    for (const site of rotated([ours, smallest], round)) {
      busy.get(site)?.push(await peakWhenBusy(bench, site))
    }
  }
  const stored = await measureStoredStarts(bench, ours, smallest)
  const ratioTo = (values: number[] = [], others: number[] = []) =>
    median(values.map((value, round) => value / (others[round] ?? Number.NaN)))
  const msOf = (all: readonly Start[]) => all.map(({ ms }) => ms)
  const startsOf = (site: Site) => msOf(starts.get(site) ?? [])
  const idleOf = (site: Site) =>
    median((starts.get(site) ?? []).map(({ idleBytes }) => idleBytes)) / 1e6
  const peakOf = (site: Site) => (peaks.get(site) ?? Number.NaN) / 1e6
  const idleOfCommand = median(stored.command.map(({ idleBytes }) => idleBytes)) / 1e6
  const rows: Table = bench.sites.map((site) => [
    site.target.name,
    digits(median((starts.get(site) ?? []).map(({ ms }) => ms))),
    digits(idleOf(site)),
    digits(median(busy.get(site) ?? [Number.NaN]) / 1e6),
    digits(peakOf(site)),
  ])
  return {
    title: 'Start and memory',
    note: `From the start of the process until it listens, its migrated database open; resident memory a second later, at the peak of a new process that serves refreshes over ${connections} connections, and at its peak during all of this bench. With stored code, \`latchkey serve\` started in ${digits(median(msOf(stored.command)))} ms, and the floor in ${digits(median(msOf(stored.floor)))} ms; a second later \`latchkey serve\` had ${digits(idleOfCommand)} MB.`,
    table: [['target', 'start ms', 'idle MB', `MB at ${connections}`, 'peak MB'], ...rows],
    bars: [
      {
        what: 'start with a migrated database: ms, against the floor',
        measured: ratioTo(startsOf(ours), startsOf(smallest)),
        unit: '×',
        limit: { atMost: 2 },
      },
      {
        what: 'start of `latchkey serve` with stored code: ms, against the floor',
        measured: ratioTo(msOf(stored.command), msOf(stored.floor)),
        unit: '×',
        limit: { atMost: 2 },
      },
      {
        what: 'memory of `latchkey serve`, idle',
        measured: idleOfCommand,
        unit: 'MB',
        limit: { atMost: 90 },
      },
      { what: 'memory, idle', measured: idleOf(ours), unit: 'MB', limit: { atMost: 90 } },
      {
        what: `memory at ${connections} connections, against the floor`,
        measured: ratioTo(busy.get(ours), busy.get(smallest)),
        unit: '×',
        limit: { atMost: 1.3 },
      },
      { what: 'memory, peak', measured: peakOf(ours), unit: 'MB', limit: { atMost: 180 } },
    ],
  }
}

/**
 * Measures starts where Node finds the compiled code of an earlier one, as `latchkey serve` stores
 * it, until the server listens.
 */
async function measureStoredStarts({ plan }: Bench, ours: Site, smallest: Site) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  try {
    const startCommand = () => startCommandAgain(ours.databaseUrl, folder)
    const startFloor = () => startAgain(smallest, { NODE_COMPILE_CACHE: folder }, 0)
    const stored: { command: Start[]; floor: Start[] } = { command: [], floor: [] }
    // The first starts store the code.
    await startCommand()
    await startFloor()
    for (let round = 0; round < plan.starts; round += 1) {
      stored.command.push(await startCommand())
      stored.floor.push(await startFloor())
    }
    return stored
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Measures a process from its start until its log contains `listening`, and its memory then. */
async function startCommandAgain(databaseUrl: string, home: string): Promise<Start> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [command, 'serve'], {
    env: {
      HOME: home,
      NODE_ENV: 'production',
      AUTH_SITE_URL: 'https://app.example.test',
      AUTH_API_EXTERNAL_URL: 'https://auth.example.test',
      AUTH_API_HOST: '127.0.0.1',
      AUTH_API_PORT: '0',
      AUTH_DATABASE_URL: databaseUrl,
      AUTH_JWT_SECRET: secret,
      AUTH_MAILER_AUTOCONFIRM: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let output = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('"msg":"listening"')) resolve()
      })
    child.once('exit', () => reject(new Error(output)))
  })
  const ms = performance.now() - startedAt
  await sleep(settleMs)
  const idleBytes = residentBytesOf(child.pid)
  child.kill('SIGTERM')
  await exited
  return { ms, idleBytes }
}

/** @see POSIX.1-2024, ps: `rss` is in KiB on Linux and macOS. */
const residentBytesOf = (pid: number | undefined): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) * 1024

const command = fileURLToPath(new URL('../../dist/standalone/cli.js', import.meta.url))

async function startAgain(
  { target, databaseUrl, people }: Site,
  env: Record<string, string> = {},
  settledMs = settleMs,
): Promise<Start> {
  const startedAt = performance.now()
  const { server } = await openSite(target, databaseUrl, people, env)
  const ms = performance.now() - startedAt
  await sleep(settledMs)
  const { rssBytes } = await server.ask<Usage>('usage')
  await server.stop()
  return { ms, idleBytes: rssBytes }
}

/** Returns the peak of the resident memory of a new process that serves many connections. */
async function peakWhenBusy(
  { generator, plan }: Bench,
  { target, databaseUrl, people }: Site,
): Promise<number> {
  const site = await openSite(target, databaseUrl, people)
  await run(generator, site, { operation: 'refresh', connections, count: plan.warmUp.other })
  const { peakRssBytes } = await site.server.ask<Usage>('usage')
  await site.server.stop()
  return peakRssBytes
}
