import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlainMetric } from '../../platform/observability/opentelemetry/sum-metrics.ts'
import { stoppedLimits, untilAccepted } from '../server/listen.ts'
import type { Environment } from '../settings/environment-remarks.ts'
import type { Members } from './members.ts'
import type { SharedAddress } from './messages.ts'
import { type PassedConnections, sendTo } from './spawn-member.ts'
import { argumentsOfWorker } from './worker-memory.ts'
import { stdioOfWorker } from './worker-output.ts'
import {
  createWorkerSlots,
  endMember,
  replacedLimits,
  type SlotsNeeds,
  type WorkerSlots,
} from './worker-slots.ts'

/** The running workers, from the view of the primary process. */
export interface Workers {
  /**
   * Starts all workers. Resolves when the first one is ready, and `all` when all are.
   *
   * @throws CommandError when none becomes ready.
   */
  start(): Promise<{ address: SharedAddress; all: Promise<unknown> }>
  /**
   * Replaces the workers one after another with other settings.
   *
   * @returns false if the workers stop meanwhile.
   * @throws CommandError when a worker with these settings does not become ready. The former
   *   settings are in effect then.
   */
  replaceAll(environment: Environment): Promise<boolean>
  /** Returns the sums of their metrics. */
  metrics(): Promise<PlainMetric[]>
  /** Returns 503 for `/ready`. */
  announceStop(): void
  /** Ends all workers after their running requests. */
  stop(): Promise<void>
  /** Ends all workers at once. */
  kill(): void
}

/** The time limit for workers to receive open connections before they close their listeners. */
const receiveMs = 1_000
/** The time limit for workers to close their listeners. */
const refuseMs = 2_000

/** Starts workers, replaces those that die, and counts their limits. */
export function superviseWorkers(needs: SlotsNeeds): Workers {
  const { count } = needs
  cluster.setupPrimary({
    args: ['serve'],
    execArgv: argumentsOfWorker(count),
    stdio: stdioOfWorker,
  })
  cluster.schedulingPolicy = cluster.SCHED_RR
  const slots = createWorkerSlots(needs)
  const { members } = slots
  let { environment } = needs
  return {
    start: async () => {
      // The first worker starts alone: it migrates the database, and reports an error of the start.
      const address = await slots.startFirst()
      const all = Promise.all(Array.from({ length: count - 1 }, (_, at) => slots.fill(at + 1)))
      return { address, all }
    },
    replaceAll: async (next) => {
      await replaceInTurn(slots, count, { former: environment, next })
      if (slots.isClosed()) return false
      environment = next
      const retiring = members.all().filter(({ state }) => state === 'retiring')
      const late = sleep(2 * replacedLimits.lingerMs, undefined, { ref: false })
      await Promise.race([Promise.all(retiring.map(({ ended }) => ended)), late])
      return true
    },
    metrics: members.metrics,
    announceStop: () => {
      slots.close()
      members.sendAll({ stop: 'announce' })
    },
    stop: async () => {
      slots.close()
      members.expectEnd()
      await untilReceived(members)
      await stopAll(members)
    },
    kill: () => {
      for (const { worker } of members.all()) worker.process.kill('SIGKILL')
    },
  }
}

/** Replaces the workers one after another, and all of them back if one does not become ready. */
async function replaceInTurn(
  slots: WorkerSlots,
  count: number,
  { former, next }: { former: Environment; next: Environment },
): Promise<void> {
  const replaced: number[] = []
  try {
    for (let slot = 0; slot < count; slot += 1) {
      await slots.replace(slot, next)
      replaced.push(slot)
    }
  } catch (error) {
    for (const slot of replaced) await slots.replace(slot, former)
    throw error
  }
}

/** Waits until the workers have received the connections that were opened so far. */
async function untilReceived(members: Members): Promise<void> {
  const passedBy = (countOf: (passed: PassedConnections) => number): number =>
    members.all().reduce((sum, { passed }) => sum + countOf(passed), 0)
  await untilAccepted(() => passedBy(({ total }) => total()))
  const until = performance.now() + receiveMs
  while (passedBy(({ pending }) => pending()) > 0 && performance.now() < until) await sleep(1)
}

async function stopAll(members: Members): Promise<void> {
  const all = members.all()
  for (const member of all) {
    if (member.state === 'starting') member.worker.process.kill('SIGKILL')
    member.state = 'retiring'
    sendTo(member.worker, { stop: 'refuse' })
  }
  // Kept connections are closed after all listeners: their clients would connect again.
  const late = sleep(refuseMs, undefined, { ref: false })
  await Promise.race([Promise.all(all.map(({ refusing }) => refusing)), late])
  await Promise.all(all.map((member) => endMember(member, stoppedLimits)))
}
