import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMemoryBuckets } from '../../limits/memory-buckets.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { PlainMetric } from '../../platform/observability/opentelemetry/sum-metrics.ts'
import { CommandError } from '../command-error.ts'
import type { Environment } from '../environment-remarks.ts'
import { untilAccepted } from '../listen.ts'
import { createCollectedMetrics } from './collect-metrics.ts'
import { createElection } from './elect-workers.ts'
import type { ToPrimary, ToWorker } from './messages.ts'
import { type PassedConnections, returnConnections } from './return-connections.ts'
import { argumentsOfWorker } from './worker-memory.ts'
import { workerVariables } from './worker-process.ts'

/** The address that the workers share. */
export interface SharedAddress {
  url: string
  addresses: string[]
}

/** The running workers, from the view of the primary process. */
export interface Workers {
  /** Starts all workers. @throws CommandError when none becomes ready. */
  start(): Promise<SharedAddress>
  /**
   * Replaces the workers one after another with other settings.
   *
   * @throws CommandError when a worker with these settings does not become ready. The former
   *   settings are in effect then.
   */
  replaceAll(environment: Environment): Promise<void>
  /** Returns the sums of their metrics. */
  metrics(): Promise<PlainMetric[]>
  /** Returns 503 for `/ready`. */
  announceStop(): void
  /** Ends all workers after their running requests. */
  stop(): Promise<void>
  /** Ends all workers at once. */
  kill(): void
}

interface SuperviseNeeds {
  count: number
  environment: Environment
  port: number
  logger: Logger
  pace?: Partial<Pace>
}

/** The times of the supervision. */
interface Pace {
  /** The pause before a dead worker is replaced: the first, and the longest. */
  firstPauseMs: number
  longestPauseMs: number
  /** The time after which a worker counts as stable. */
  stableMs: number
  /** The time in which a worker must become ready, while another one serves. */
  startMs: number
}

const usualPace: Pace = {
  firstPauseMs: 100,
  longestPauseMs: 4_000,
  stableMs: 10_000,
  startMs: 60_000,
}

/** The number of workers that may end one after another before the first one is ready. */
const attemptsAtStart = 5
/** The number of attempts to replace a worker with other settings. */
const attemptsAtReload = 3
/** The time limit for workers to receive open connections before they close their listeners. */
const receiveMs = 1_000
/** The time limit for a worker to close its listener. */
const refuseMs = 2_000
/**
 * The time for which a replaced worker keeps idle connections, to respond to their next request.
 */
const replacedLingerMs = 5_000
/** The same where all workers end. */
const stoppedLingerMs = 2_000
/** The time after which a worker that has to end is killed; its own limits are shorter. */
const endMs = 110_000
/** The time within which a signal to all processes reaches the primary process, too. */
const signalMs = 250

interface Member {
  slot: number
  worker: Worker
  passed: PassedConnections
  environment: Environment
  state: 'starting' | 'ready' | 'retiring'
  readyAt: number
  /** Resolves with the address, or with the reason why it did not become ready. */
  started: Promise<SharedAddress | { reason: string; isExplained: boolean }>
  refusing: Promise<void>
  ended: Promise<void>
}

/** Starts workers, replaces those that die, and counts their limits. */
export function superviseWorkers({
  count,
  environment: first,
  port,
  logger,
  pace: given,
}: SuperviseNeeds): Workers {
  const pace = { ...usualPace, ...given }
  const buckets = createMemoryBuckets()
  const election = createElection<Member>()
  const send = (worker: Worker, message: ToWorker): void => {
    if (worker.isConnected()) worker.process.send(message, undefined, undefined, () => {})
  }
  const collected = createCollectedMetrics(send)
  const members = new Set<Member>()
  /** The number of deaths one after another, by slot. */
  const deaths = new Map<number, number>()
  let environment = first
  let isStopping = false
  /** Whether a worker was ready, so that the settings are known to work. */
  let hasServed = false

  cluster.setupPrimary({
    args: ['serve'],
    execArgv: argumentsOfWorker(count),
  })
  cluster.schedulingPolicy = cluster.SCHED_RR

  const ready = (): Member[] => [...members].filter(({ state }) => state === 'ready')
  const serving = (slot: number): Member | undefined =>
    ready().find((member) => member.slot === slot)

  const announce = (): void => {
    const candidates = ready()
    for (const [{ worker }, elected] of election.assign(candidates)) send(worker, { elected })
    const counts = { count, ready: new Set(candidates.map(({ slot }) => slot)).size }
    for (const { worker } of members) send(worker, { counts })
  }

  const receive = (member: Member, message: ToPrimary): void => {
    const { worker } = member
    if ('take' in message) {
      const { id, limits } = message.take
      const counted = limits.map(([key, burst, refillPerSecond]) => ({
        key,
        limit: { burst, refillPerSecond },
      }))
      send(worker, { taken: { id, waitSeconds: buckets.take(counted, Date.now()) } })
    } else if ('metrics' in message) collected.receive(worker, message.metrics)
    else if ('keysChanged' in message) {
      for (const other of members) if (other !== member) send(other.worker, message)
    } else if ('signalled' in message) void replaceSignalled(member)
  }

  const spawn = (slot: number, settings: Environment): Member => {
    const worker = cluster.fork(workerVariables)
    const passed = returnConnections(worker)
    const started = Promise.withResolvers<Awaited<Member['started']>>()
    const refusing = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const member: Member = {
      slot,
      worker,
      passed,
      environment: settings,
      state: 'starting',
      readyAt: Number.POSITIVE_INFINITY,
      started: started.promise,
      refusing: refusing.promise,
      ended: ended.promise,
    }
    members.add(member)
    worker.on('message', (message: ToPrimary) => {
      if ('ready' in message) {
        if (member.state === 'starting') member.state = 'ready'
        member.readyAt = performance.now()
        hasServed = true
        logger.info({ worker: slot + 1, pid: worker.process.pid }, 'worker ready')
        announce()
        started.resolve(message.ready)
      } else if ('failed' in message) {
        started.resolve({ reason: message.failed, isExplained: true })
      } else if ('refusing' in message) refusing.resolve()
      else receive(member, message)
    })
    const removeMember = (reason: string): void => {
      members.delete(member)
      collected.noteEnd(worker)
      started.resolve({ reason, isExplained: false })
      refusing.resolve()
      ended.resolve()
      announce()
    }
    // A process that was not created emits no `exit`. For others, this is a message that was not
    // delivered.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) removeMember(`not created: ${error.message}`)
    })
    worker.once('exit', (code, signal) => {
      removeMember(signal ? `ended by ${signal}` : `ended with code ${code}`)
      if (member.state !== 'ready') return
      logger.warn({ worker: slot + 1, pid: worker.process.pid, code, signal }, 'worker ended')
      if (performance.now() - member.readyAt > pace.stableMs) deaths.delete(slot)
      void replaceDead(member)
    })
    send(worker, { start: { environment: settings, slot, count, port } })
    return member
  }

  /** Starts a worker, and waits until it is ready. Returns the reason if it is not. */
  const startOne = async (slot: number, settings: Environment) => {
    const member = spawn(slot, settings)
    const late = hasServed
      ? sleep(pace.startMs, { reason: 'not ready in time', isExplained: false }, { ref: false })
      : new Promise<never>(() => {})
    const result = await Promise.race([member.started, late])
    if ('url' in result) return { address: result }
    member.state = 'retiring'
    member.worker.process.kill('SIGKILL')
    return { reason: result.reason, isExplained: result.isExplained }
  }

  /** Waits longer after each death of a worker. */
  const pauseAfterDeath = (slot: number): Promise<unknown> => {
    const number = deaths.get(slot) ?? 0
    deaths.set(slot, number + 1)
    return sleep(Math.min(pace.firstPauseMs * 2 ** number, pace.longestPauseMs))
  }

  /** Starts a worker in a slot until one is ready. */
  const fill = async (slot: number): Promise<void> => {
    while (!isStopping) {
      const result = await startOne(slot, environment)
      if ('address' in result) return
      logger.error({ worker: slot + 1, reason: result.reason }, 'worker did not start')
      await pauseAfterDeath(slot)
    }
  }

  const replaceDead = async ({ slot }: Member): Promise<void> => {
    await pauseAfterDeath(slot)
    // Replaced with other settings meanwhile.
    if (!isStopping && !serving(slot)) await fill(slot)
  }

  const retire = async (member: Member): Promise<void> => {
    member.state = 'retiring'
    announce()
    send(member.worker, { stop: 'refuse' })
    await Promise.race([member.refusing, sleep(refuseMs, undefined, { ref: false })])
    void endMember(member, replacedLingerMs)
  }

  const endMember = async (member: Member, lingerMs: number): Promise<void> => {
    send(member.worker, { end: { lingerMs } })
    const limit = setTimeout(() => member.worker.process.kill('SIGKILL'), endMs)
    await member.ended
    clearTimeout(limit)
  }

  /** Replaces the worker of a slot with one that has the given settings. */
  const replace = async (slot: number, settings: Environment): Promise<void> => {
    let reason = ''
    for (let attempt = 0; attempt < attemptsAtReload; attempt += 1) {
      const former = [...members].filter((one) => one.slot === slot && one.state !== 'retiring')
      const result = await startOne(slot, settings)
      if ('address' in result) {
        await Promise.all(former.filter((one) => members.has(one)).map(retire))
        return
      }
      if (isStopping) return
      reason = result.reason
      // The worker reported an invalid setting: another attempt would fail, too.
      if (result.isExplained) break
      await sleep(pace.firstPauseMs)
    }
    throw new CommandError(reason)
  }

  const replaceSignalled = async (member: Member): Promise<void> => {
    await sleep(signalMs)
    if (isStopping || member.state !== 'ready') return
    logger.info({ worker: member.slot + 1 }, 'worker received a signal to stop, and is replaced')
    await replace(member.slot, environment).catch((error) =>
      logger.error({ worker: member.slot + 1, reason: String(error) }, 'worker was not replaced'),
    )
  }

  const passedBy = (count: (passed: PassedConnections) => number): number =>
    [...members].reduce((sum, { passed }) => sum + count(passed), 0)

  /** Waits until the workers have received the connections that were opened so far. */
  const untilReceived = async (): Promise<void> => {
    await untilAccepted(() => passedBy(({ total }) => total()))
    const until = performance.now() + receiveMs
    while (passedBy(({ pending }) => pending()) > 0 && performance.now() < until) await sleep(1)
  }

  const startFirst = async (): Promise<SharedAddress> => {
    let reason = ''
    for (let attempt = 0; attempt < attemptsAtStart; attempt += 1) {
      const result = await startOne(0, environment)
      if ('address' in result) return result.address
      reason = result.reason
      if (result.isExplained) throw new CommandError(reason)
      logger.error({ worker: 1, reason }, 'worker did not start')
      await pauseAfterDeath(0)
    }
    throw new CommandError(`no worker became ready: the last one ${reason}`)
  }

  return {
    start: async () => {
      // The first worker starts alone: it migrates the database, and reports an error of the start.
      const address = await startFirst()
      await Promise.all(Array.from({ length: count - 1 }, (_, at) => fill(at + 1)))
      return address
    },
    replaceAll: async (next) => {
      const former = environment
      const replaced: number[] = []
      try {
        for (let slot = 0; slot < count && !isStopping; slot += 1) {
          await replace(slot, next)
          replaced.push(slot)
          // A worker that dies from now on is replaced with the new settings.
          environment = next
        }
      } catch (error) {
        environment = former
        for (const slot of replaced) await replace(slot, former)
        throw error
      }
      const retiring = [...members].filter(({ state }) => state === 'retiring')
      const late = sleep(2 * replacedLingerMs, undefined, { ref: false })
      await Promise.race([Promise.all(retiring.map(({ ended }) => ended)), late])
    },
    metrics: () => collected.collect([...members].filter(isServing).map(({ worker }) => worker)),
    announceStop: () => {
      isStopping = true
      for (const { worker } of members) send(worker, { stop: 'announce' })
    },
    stop: async () => {
      isStopping = true
      await untilReceived()
      const all = [...members]
      for (const member of all) {
        if (member.state === 'starting') member.worker.process.kill('SIGKILL')
        member.state = 'retiring'
        send(member.worker, { stop: 'refuse' })
      }
      // Kept connections are closed after all listeners: their clients would connect again.
      const late = sleep(refuseMs, undefined, { ref: false })
      await Promise.race([Promise.all(all.map(({ refusing }) => refusing)), late])
      await Promise.all(all.map((member) => endMember(member, stoppedLingerMs)))
    },
    kill: () => {
      for (const { worker } of members) worker.process.kill('SIGKILL')
    },
  }
}

const isServing = ({ state }: Member): boolean => state !== 'starting'
