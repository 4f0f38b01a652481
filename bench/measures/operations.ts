import { type Bench, operations, rotated, volumeOf } from '../bench.ts'
import { floor } from '../floor/target.ts'
import { type Child, startChild } from '../kit/child-process.ts'
import { type Figures, run, vacuum } from '../kit/site.ts'
import { median } from '../kit/statistics.ts'
import type { Bar, Section } from '../report/section.ts'
import { digits, type Table } from '../report/table.ts'
import type { HashingFigures } from '../targets/bare-argon2.ts'
import { betterAuth, betterAuthWithArgon2 } from '../targets/better-auth/target.ts'
import { latchkey } from '../targets/latchkey/target.ts'
import type { Operation, Target } from '../targets/target.ts'

const connections = 8

/** The figures of each round, by target and operation. */
type Rounds = Map<string, Figures[]>

/** Measures the speed of each operation, and its cost for the server. */
export async function measureOperations(bench: Bench): Promise<Section> {
  const bareArgon2 = await startChild('targets/bare-argon2.ts')
  await warmUp(bench)
  for (const site of bench.sites) await vacuum(site)
  const rounds: Rounds = new Map()
  const bare: number[] = []
  for (let round = 0; round < bench.plan.rounds; round += 1) {
    for (const operation of operations) {
      await playRound(bench, rounds, operation, round)
      // Measured beside its counterpart, since the speed of the machine changes within half a
      // minute.
      if (operation === 'sign-in') {
        bare.push(await throughputOf(bareArgon2, bench.plan.run.hashing))
      }
    }
  }
  await bareArgon2.stop()
  return {
    title: 'Operations',
    note: `${connections} connections, each sending the next request at once. CPU is that of the server process, its threads included; ms and µs per request. \`get-user\` is \`get-session\` at Better Auth, which has no refresh. Bare argon2, as many at once as Latchkey's gate admits: ${digits(median(bare))} per second.`,
    table: tableOf(bench, rounds),
    bars: barsOf(rounds, bare),
  }
}

async function warmUp(bench: Bench): Promise<void> {
  const { generator, sites, plan } = bench
  for (const site of sites) {
    for (const operation of operations.filter((name) => site.target.asks[name])) {
      const count = volumeOf(operation, plan.warmUp)
      await run(generator, site, { operation, connections, count })
    }
  }
}

async function playRound(
  { generator, sites, plan }: Bench,
  rounds: Rounds,
  operation: Operation,
  round: number,
): Promise<void> {
  const able = sites.filter(({ target }) => target.asks[operation])
  for (const site of rotated(able, round)) {
    const count = volumeOf(operation, plan.run)
    const figures = await run(generator, site, { operation, connections, count })
    const key = keyOf(site.target, operation)
    rounds.set(key, [...(rounds.get(key) ?? []), figures])
  }
}

const throughputOf = async (bareArgon2: Child, count: number): Promise<number> =>
  (await bareArgon2.ask<HashingFigures>('verify', count)).throughput

function tableOf({ sites }: Bench, rounds: Rounds): Table {
  const head = ['operation', 'target', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs']
  const rows = operations.flatMap((operation) =>
    sites.flatMap(({ target }) => {
      const figures = rounds.get(keyOf(target, operation))
      if (!figures) return []
      const middle = (pick: (each: Figures) => number) => digits(median(figures.map(pick)))
      return [
        [
          operation,
          target.name,
          middle((each) => each.throughput),
          middle((each) => each.p50),
          middle((each) => each.p99),
          middle((each) => each.cpuMicrosPerRequest),
        ],
      ]
    }),
  )
  return [head, ...rows]
}

function barsOf(rounds: Rounds, bare: number[]): Bar[] {
  const figures = (target: Target, operation: Operation) =>
    rounds.get(keyOf(target, operation)) ?? []
  const cpu = (operation: Operation, atMost: number): Bar => ({
    what: `${operation}: CPU, against the floor`,
    measured: ratio(
      figures(latchkey, operation).map((each) => each.cpuMicrosPerRequest),
      figures(floor, operation).map((each) => each.cpuMicrosPerRequest),
    ),
    unit: '×',
    limit: { atMost },
  })
  const speed = (what: string, operation: Operation, other: number[], atLeast: number): Bar => ({
    what: `${operation}: ${what}`,
    measured: ratio(
      figures(latchkey, operation).map(({ throughput }) => throughput),
      other,
    ),
    unit: '×',
    limit: { atLeast },
  })
  const speedOf = (target: Target, operation: Operation) =>
    figures(target, operation).map(({ throughput }) => throughput)

  return [
    cpu('refresh', 1.45),
    speed('throughput, against the floor', 'refresh', speedOf(floor, 'refresh'), 0.69),
    cpu('get-user', 1.5),
    cpu('sign-out', 1.5),
    cpu('sign-up', 1.3),
    speed('throughput, against bare argon2', 'sign-in', bare, 0.85),
    speed(
      'throughput, against Better Auth with our hash',
      'sign-in',
      speedOf(betterAuthWithArgon2, 'sign-in'),
      1,
    ),
    speed(
      "throughput, against Better Auth's get-session",
      'get-user',
      speedOf(betterAuth, 'get-user'),
      3,
    ),
  ]
}

/** Returns the median of the ratios within rounds, so that a slow round has no effect. */
const ratio = (ours: number[], theirs: number[]): number =>
  median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)))

const keyOf = ({ name }: Target, operation: Operation): string => `${operation} ${name}`
