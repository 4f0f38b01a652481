// `npm run bench:load -- --minutes 10`: mixed requests at 80 % of the peak, and more sign-ins than
// can be hashed.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { peakMemoryMib } from '../../test/floods/small-server.ts'
import { limitMemory } from '../../test/support/memory-limit.ts'
import { startServer } from '../../test/support/server-process.ts'
import { startPostgres } from '../../test/support/start-postgres.ts'
import { gateWidth } from '../kit/gate-width.ts'
import { besideSpinningThreads } from '../kit/spinning-threads.ts'
import { median, quantile } from '../kit/statistics.ts'
import { type Clients, openClients, type Phase, type Reading } from './clients.ts'
import type { Flood } from './flood.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    connections: { type: 'string', default: '64' },
    memory: { type: 'string', default: '256' },
  },
})
const seconds = Number(values.minutes) * 60
const connections = Number(values.connections)
/** The limit of memory, in MiB. */
const containerMib = Number(values.memory)
/** The share of the peak that the service must sustain. */
const share = 0.8
/** How much higher the memory of the last fifth may be than that of the second fifth. */
const flat = 1.1

/** The seconds in which the connections of the flood are opened and its queues fill. */
const floodBeginsFor = 3
/** A hundredth of one round is twelve responses: too few for a 99th percentile. */
const rounds = 3

const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8')
const [, optionsOfImage] = /NODE_OPTIONS="(.*)"/.exec(dockerfile) ?? []
if (!optionsOfImage) throw new Error('the Dockerfile sets no NODE_OPTIONS')

const problems: string[] = []
const report = (subject: string, text: string, isKept: boolean) => {
  console.log(`${isKept ? 'kept  ' : 'MISSED'} ${subject}: ${text}`)
  if (!isKept) problems.push(subject)
}
const perSecond = ({ sent, seconds: took }: Reading) => sent / took
const describe = (reading: Reading) =>
  `${perSecond(reading).toFixed(0)} requests/s, p50 ${quantile(reading.ms, 0.5).toFixed(1)} ms, p99 ${quantile(reading.ms, 0.99).toFixed(1)} ms, statuses ${JSON.stringify(reading.statuses)}`
const eachP99 = (readings: Reading[]) =>
  readings.map(({ ms }) => `${quantile(ms, 0.99).toFixed(1)} ms`).join(', ')
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const onlySuccess = ({ statuses }: Reading) => Object.keys(statuses).join() === '200'

const postgres = await startPostgres({
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  autovacuum: 'on',
})
const container = limitMemory(containerMib)
if (!container) {
  console.warn('NOT MEASURED: a container, since this user may not create control groups')
}
const server = await startServer(
  postgres.url,
  {
    AUTH_RATE_LIMIT_HEADER: 'x-client',
    // The default cost of hashes.
    AUTH_PASSWORD_HASH_MEMORY_KIB: '19456',
    AUTH_PASSWORD_HASH_ITERATIONS: '2',
    // As Node limits its heap in a container of 256 MiB.
    NODE_OPTIONS: `${optionsOfImage}${container ? '' : ` --max-old-space-size=${containerMib}`}`,
  },
  ['serve'],
  container ? { wrap: container.wrap } : {},
)
try {
  const clients = await openClients(server, connections)
  console.log(
    `${cpus().length} × ${cpus()[0]?.model}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}; ${connections} connections, ${containerMib} MiB of memory`,
  )

  await clients.mixed({ seconds: 5 })
  const peak = await clients.mixed({ seconds: 15 })
  const peakMib = (await peakMemoryMib(server)) ?? 0
  report('peak', describe(peak), onlySuccess(peak))
  report('memory at the peak', `${peakMib} MiB of ${containerMib}`, peakMib <= containerMib)

  if (seconds > 0) await sustain(clients, share * perSecond(peak))
  const hashed = await clients.signIns({ seconds: 5 })
  const alone = await clients.light({ seconds: 30 })
  const controls: Reading[] = []
  const floods: Reading[] = []
  const readings: Reading[] = []
  for (let round = 0; round < rounds; round += 1) {
    controls.push(await besideSpinningThreads(() => clients.light({ seconds: 30 })))
    const [flood, beside] = await Promise.all([
      sendFlood(clients, { seconds: floodBeginsFor + 30, rate: 4 * perSecond(hashed) }),
      sleep(floodBeginsFor * 1000).then(() => clients.light({ seconds: 30 })),
    ])
    floods.push(flood)
    readings.push(beside)
  }
  const control = together(controls)
  const beside = together(readings)
  console.log(
    `       ${perSecond(hashed).toFixed(0)} sign-ins/s can be hashed; ${describe(together(floods))}`,
  )
  console.log(`       without them: ${describe(alone)}`)
  console.log(
    `       control, beside ${gateWidth} threads that spin: ${describe(control)}; p99 of each round ${eachP99(controls)}`,
  )
  const ratio = quantile(beside.ms, 0.99) / quantile(control.ms, 0.99)
  report(
    `refreshes and GET /user beside four times the sign-ins, after ${floodBeginsFor} seconds`,
    `${describe(beside)}; p99 of each round ${eachP99(readings)}; p99 ${ratio.toFixed(1)} × the control`,
    ratio <= 3 && onlySuccess(beside),
  )
} finally {
  await server.stop()
  container?.remove()
  await postgres.stop()
}
if (problems.length > 0) process.exitCode = 1

async function sustain(clients: Clients, rate: number): Promise<void> {
  const sustained = await clients.mixed({ seconds, rate })
  report(
    `${values.minutes} minutes at ${share} of the peak`,
    describe(sustained),
    onlySuccess(sustained),
  )
  const fifth = Math.floor(sustained.memoryMib.length / 5)
  const early = median(sustained.memoryMib.slice(fifth, 2 * fifth))
  const late = median(sustained.memoryMib.slice(-fifth))
  report('flat memory', `${early} MiB, at the end ${late} MiB`, late <= flat * early)
}

/** Sends sign-ins from a process of its own. */
async function sendFlood({ users }: Clients, phase: Phase): Promise<Reading> {
  const child = fork(new URL('flood.ts', import.meta.url))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process of the flood ended with code ${code}`)
  })
  ended.catch(() => {})
  const { url, pid } = server
  child.send({ server: { url, pid }, users, phase } satisfies Flood)
  const [reading] = await Promise.race([once(child, 'message'), ended])
  return reading
}

/** Returns the requests of several readings as one. */
function together(readings: Reading[]): Reading {
  const statuses: Reading['statuses'] = {}
  for (const reading of readings)
    for (const [status, count] of Object.entries(reading.statuses))
      statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count
  return {
    sent: sum(readings.map(({ sent }) => sent)),
    seconds: sum(readings.map((reading) => reading.seconds)),
    ms: readings.flatMap(({ ms }) => ms),
    statuses,
    memoryMib: readings.flatMap(({ memoryMib }) => memoryMib),
  }
}
