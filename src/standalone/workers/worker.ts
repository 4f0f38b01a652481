import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GroupTask, WorkerCounts, WorkerGroup } from '../../service/worker-group.ts'
import { explain } from '../explain-error.ts'
import { type EndLimits, type Listening, listen } from '../server/listen.ts'
import { createLogger } from '../server/logger.ts'
import { openService } from '../server/served.ts'
import { checkEnvironment } from '../settings/environment.ts'
import { hashingThreadsOf, settingsOfWorker } from './divide-resources.ts'
import type { ToPrimary, ToWorker, WorkerStart } from './messages.ts'
import { openRemoteLimits, type RemoteLimits } from './remote-limits.ts'

/** The time for running requests after the primary process has died. */
const orphanedMs = 3_000

/** Serves as one of several workers, whose settings and end the primary process determines. */
export async function serveAsWorker(): Promise<void> {
  const state = openState()
  let listening: Listening | null = null
  let isEnding = false

  const end = async (limits: EndLimits): Promise<void> => {
    if (isEnding) return
    isEnding = true
    await listening?.stopping.end(limits)
    process.exit(0)
  }
  const endAlone = async (): Promise<void> => {
    if (isEnding || !listening) process.exit(1)
    listening.stopping.announce()
    void sleep(orphanedMs).then(() => process.exit(1))
    await listening.stopping.refuseConnections()
    await end({ lingerMs: 0, bodyMs: null })
  }
  const follow = async (message: ToWorker): Promise<void> => {
    if ('stop' in message) {
      if (message.stop === 'announce') return listening?.stopping.announce()
      await listening?.stopping.refuseConnections()
      send({ refusing: true })
    } else if ('end' in message) await end(message.end)
    else if ('beat' in message) send({ beat: message.beat })
    else state.receive(message)
  }

  leaveSignalsToPrimary()
  surviveDisconnect()
  process.on('disconnect', () => void endAlone())
  const start = new Promise<WorkerStart>((resolve) => {
    process.on('message', (message: ToWorker) => {
      if ('start' in message) resolve(message.start)
      else void follow(message)
    })
  })
  try {
    listening = await open(await start, state)
    send({ ready: { url: listening.url, addresses: listening.addresses } })
  } catch (error) {
    await sendAndWait({ failed: explain(error, ['serve']).trimEnd() })
    process.exit(1)
  }
}

async function open(start: WorkerStart, state: WorkerState): Promise<Listening> {
  // Exporters of telemetry read variables that are not settings.
  Object.assign(process.env, start.environment)
  const checked = settingsOfWorker(checkEnvironment(start.environment), start)
  const worker = start.slot + 1
  const logger = createLogger(checked.resolved.log, { worker })
  const group = state.group(worker, hashingThreadsOf(start))
  const { app, service } = await openService(checked, { logger, group })
  const close = async (): Promise<void> => {
    // The counts of an ended worker remain part of the sums.
    const data = await state.collect().catch(() => null)
    if (data !== null) await sendAndWait({ metrics: { id: null, data } })
    await service.auth.close()
  }
  return listen({ app, close }, checked.resolved)
}

interface WorkerState {
  group(worker: number, hashingThreads: number): WorkerGroup
  receive(message: ToWorker): void
  /** Collects the metrics; null where none are offered. */
  collect(): Promise<unknown>
}

/** The state of the group, as the primary process has sent it. */
function openState(): WorkerState {
  const limits: RemoteLimits = openRemoteLimits(send)
  let counts: WorkerCounts = { count: 1, ready: 0 }
  let elected: readonly GroupTask[] = []
  let collect = async (): Promise<unknown> => null
  const onKeys = new Set<() => void>()
  return {
    group: (worker, hashingThreads) => ({
      limits,
      hashingThreads,
      metrics: {
        worker,
        offer: (offered) => {
          collect = offered
        },
      },
      counts: () => counts,
      isElected: (task) => elected.includes(task),
      announceKeys: () => send({ keysChanged: true }),
      onKeys: (changed) => void onKeys.add(changed),
    }),
    receive: (message) => {
      if ('taken' in message) limits.settle(message.taken)
      else if ('counts' in message) counts = message.counts
      else if ('elected' in message) elected = message.elected
      else if ('keysChanged' in message) for (const changed of onKeys) changed()
      else if ('collect' in message) {
        const id = message.collect
        collect().then(
          (data) => send({ metrics: { id, data } }),
          () => send({ metrics: { id, data: null } }),
        )
      }
    },
    collect: () => collect(),
  }
}

/** Sends a message. Does nothing while the primary process is unavailable. */
function send(message: ToPrimary): void {
  process.send?.(message, undefined, undefined, () => {})
}

const sendAndWait = (message: ToPrimary): Promise<void> =>
  new Promise((resolve) => {
    if (process.send) process.send(message, undefined, undefined, () => resolve())
    else resolve()
  })

/**
 * Ignores signals that terminals and service managers send to all processes: the primary process
 * acts on them. It replaces a worker that alone received one.
 */
function leaveSignalsToPrimary(): void {
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('SIGTERM', () => send({ signalled: true }))
}

/** Prevents Node from ending a worker at once when the primary process has died. */
function surviveDisconnect(): void {
  const { worker } = cluster
  if (worker) worker.exitedAfterDisconnect = true
}
