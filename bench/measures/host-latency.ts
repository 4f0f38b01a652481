import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, rotated, siteOf } from '../bench.ts'
import { type Child, startChild } from '../kit/child-process.ts'
import { gateWidth } from '../kit/gate-width.ts'
import type { HostLatency } from '../kit/host-probe.ts'
import { run, type Site } from '../kit/site.ts'
import { median } from '../kit/statistics.ts'
import type { Section } from '../report/section.ts'
import { digits } from '../report/table.ts'
import { betterAuth, betterAuthWithArgon2 } from '../targets/better-auth/target.ts'
import { latchkey } from '../targets/latchkey/target.ts'

/** The work that keeps a process busy while it reads files, and its duration. */
interface Guest {
  name: string
  process: Child
  work(): Promise<unknown>
}

const controlMs = 2000

/** Measures how long the application around an auth library waits for a file during sign-ins. */
export async function measureHostLatency(bench: Bench): Promise<Section> {
  const { plan } = bench
  const spinning = await startChild('targets/spinning.ts')
  const control: Guest = { name: 'control', process: spinning, work: () => sleep(controlMs) }
  const bareArgon2 = await startChild('targets/bare-argon2.ts')
  // Without server and database: the cost of hashing for the host.
  const argon2Alone: Guest = {
    name: 'argon2 alone',
    process: bareArgon2,
    work: () => bareArgon2.ask('verify', plan.host.signIns),
  }
  const ours = guest(bench, siteOf(bench, latchkey))
  const others = [betterAuth, betterAuthWithArgon2].map((target) =>
    guest(bench, siteOf(bench, target)),
  )
  const guests = [control, argon2Alone, ours, ...others]
  const rounds = new Map<Guest, HostLatency[]>(guests.map((each) => [each, []]))
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const each of rotated(guests, round)) rounds.get(each)?.push(await latencyWith(each))
  }
  await spinning.stop()
  await bareArgon2.stop()

  const against = (latencies: HostLatency[], pick: (each: HostLatency) => number) =>
    median(
      latencies.map((each, round) => {
        const reference = rounds.get(control)?.[round]
        return reference ? pick(each) / pick(reference) : Number.NaN
      }),
    )
  return {
    title: 'Host latency',
    note: `The time of \`fs.readFile\` in the server's process during ${plan.host.atOnce} concurrent sign-ins. The control has ${gateWidth} threads that only spin; argon2 alone hashes as many at once as the gate admits, in a process that does nothing else.`,
    table: [
      ['target', 'p50 ms', 'p99 ms', 'p99, × control'],
      ...[...rounds].map(([{ name }, latencies]) => [
        name,
        digits(median(latencies.map(({ p50 }) => p50))),
        digits(median(latencies.map(({ p99 }) => p99))),
        digits(against(latencies, ({ p99 }) => p99)),
      ]),
    ],
    bars: [
      {
        what: `fs.readFile during ${plan.host.atOnce} sign-ins: p99, against the control`,
        measured: against(rounds.get(ours) ?? [], ({ p99 }) => p99),
        unit: '×',
        limit: { atMost: 3 },
      },
    ],
  }
}

const guest = ({ generator, plan }: Bench, site: Site): Guest => ({
  name: site.target.name,
  process: site.server,
  work: () =>
    run(generator, site, {
      operation: 'sign-in',
      connections: plan.host.atOnce,
      count: plan.host.signIns,
    }),
})

async function latencyWith({ process, work }: Guest): Promise<HostLatency> {
  await process.ask('startProbe')
  await work()
  return process.ask<HostLatency>('stopProbe')
}
