import type { Worker } from 'node:cluster'
import { createMemoryBuckets } from '../../limits/memory-buckets.ts'
import type { PlainMetric } from '../../platform/observability/opentelemetry/sum-metrics.ts'
import type { GroupTask } from '../../service/worker-group.ts'
import { createCollectedMetrics } from './collect-metrics.ts'
import { beatMs, createHeartbeats, responds } from './heartbeats.ts'
import type { ToPrimary, ToWorker, WorkerStart } from './messages.ts'
import {
  type Member,
  type MemberListeners,
  type MemberMessage,
  sendTo,
  spawnMember,
} from './spawn-member.ts'
import type { WorkerOutput } from './worker-output.ts'

type Take = Extract<ToPrimary, { take: unknown }>['take']

/** The running workers, and the state that they share: limits, tasks, counts, metrics. */
export interface Members {
  /** Starts a worker, which belongs to the members until its process has ended. */
  spawn(start: WorkerStart): Member
  all(): Member[]
  has(member: Member): boolean
  /** Whether a worker was ready at any time, so that the settings are known to work. */
  haveServed(): boolean
  sendAll(message: ToWorker): void
  /** Assigns the background tasks, and sends the number of workers, after one changed its state. */
  announce(): void
  /** Kills workers earlier that do not respond, since all have to end. */
  expectEnd(): void
  /** Returns the sums of their metrics. */
  metrics(): Promise<PlainMetric[]>
}

interface MembersNeeds extends Pick<MemberListeners, 'onReady' | 'onDeath' | 'onLostConnection'> {
  count: number
  /** Writes the output of the workers. */
  output: Pick<WorkerOutput, 'follow'>
  /** A worker received a signal to stop, which only the primary process follows. */
  onSignal(member: Member): void
  /** A worker has not responded for several seconds, and is killed. */
  onSilence(member: Member): void
}

export function createMembers(needs: MembersNeeds): Members {
  const { count, output, onReady, onDeath, onLostConnection, onSignal, onSilence } = needs
  const buckets = createMemoryBuckets()
  const election = createElection<Member>()
  const collected = createCollectedMetrics(sendTo)
  const members = new Set<Member>()
  let hasServed = false
  let areEnding = false

  const sendAll = (message: ToWorker): void => {
    for (const { worker } of members) sendTo(worker, message)
  }

  const announce = (): void => {
    const candidates = [...members].filter((one) => one.state === 'ready' && responds(one))
    for (const [{ worker }, elected] of election.assign(candidates)) sendTo(worker, { elected })
    sendAll({ counts: { count, ready: new Set(candidates.map(({ slot }) => slot)).size } })
  }

  const heartbeats = createHeartbeats<Member>({
    all: () => [...members],
    send: ({ worker }, message) => sendTo(worker, message),
    areEnding: () => areEnding,
    onChange: announce,
    onSilence: (member) => {
      onSilence(member)
      member.worker.process.kill('SIGKILL')
    },
  })
  setInterval(heartbeats.beat, beatMs).unref()

  const takeFromBuckets = (worker: Worker, { id, limits, untilMs }: Take) => {
    // This process was stopped meanwhile. The request was rejected, so it counts for no limit.
    if (Date.now() > untilMs) return
    const counted = limits.map(([key, burst, refillPerSecond]) => ({
      key,
      limit: { burst, refillPerSecond },
    }))
    sendTo(worker, { taken: { id, waitSeconds: buckets.take(counted, Date.now()) } })
  }

  const listeners: MemberListeners = {
    onReady: (member) => {
      hasServed = true
      onReady(member)
      announce()
    },
    onBeat: heartbeats.receive,
    onLostConnection,
    onMessage: (member, message: MemberMessage) => {
      if ('take' in message) takeFromBuckets(member.worker, message.take)
      else if ('metrics' in message) collected.receive(member.worker, message.metrics)
      else if ('keysChanged' in message) {
        for (const other of members) if (other !== member) sendTo(other.worker, message)
      } else onSignal(member)
    },
    onEnd: (member) => {
      members.delete(member)
      collected.noteEnd(member.worker)
      announce()
    },
    onDeath,
  }

  return {
    spawn: (start) => {
      const member = spawnMember(start, listeners, output)
      members.add(member)
      return member
    },
    all: () => [...members],
    has: (member) => members.has(member),
    haveServed: () => hasServed,
    sendAll,
    announce,
    expectEnd: () => {
      areEnding = true
    },
    metrics: () => {
      const serving = [...members].filter(({ state }) => state !== 'starting')
      return collected.collect(serving.map(({ worker }) => worker))
    },
  }
}

const tasks: readonly GroupTask[] = ['keys', 'outbox', 'sweeping']

/** Assigns each background task to one worker. */
interface Election<Candidate> {
  /**
   * Assigns the tasks again after candidates were added or removed. A task stays with its worker.
   *
   * @returns the tasks of each candidate.
   */
  assign(candidates: readonly Candidate[]): Map<Candidate, GroupTask[]>
}

export function createElection<Candidate>(): Election<Candidate> {
  const holders = new Map<GroupTask, Candidate>()
  const isFree = (task: GroupTask, candidates: readonly Candidate[]): boolean => {
    const holder = holders.get(task)
    return holder === undefined || !candidates.includes(holder)
  }
  return {
    assign: (candidates) => {
      const assigned = new Map<Candidate, GroupTask[]>(candidates.map((one) => [one, []]))
      const free = tasks.filter((task) => isFree(task, candidates))
      for (const task of tasks) {
        const holder = holders.get(task)
        if (holder !== undefined && !free.includes(task)) assigned.get(holder)?.push(task)
      }
      for (const task of free) {
        const [least] = [...assigned].toSorted(([, one], [, other]) => one.length - other.length)
        holders.delete(task)
        if (!least) continue
        holders.set(task, least[0])
        least[1].push(task)
      }
      return assigned
    },
  }
}
