import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep, setImmediate as turnOfLoop } from 'node:timers/promises'
import type { SharedAddress, ToPrimary, ToWorker, WorkerStart } from './messages.ts'
import type { WorkerOutput } from './worker-output.ts'
import { workerVariables } from './worker-process.ts'

/** A worker, as the primary process represents it. */
export interface Member {
  slot: number
  worker: Worker
  passed: PassedConnections
  state: 'starting' | 'ready' | 'retiring'
  readyAt: number
  /** The number of heartbeats without a response. */
  missedBeats: number
  /** Resolves with the address, or with the reason why it did not become ready. */
  started: Promise<SharedAddress | NotStarted>
  /** Resolves when its listener is closed. */
  refusing: Promise<void>
  /** Resolves when its process has ended and its output was read. */
  ended: Promise<void>
}

/** The reason why a worker did not become ready. */
export interface NotStarted {
  reason: string
  /** Whether the worker reported it, as it does for an invalid setting. */
  isExplained: boolean
}

/** A message that is not about the start or the end of its worker. */
export type MemberMessage = Exclude<
  ToPrimary,
  { ready: unknown } | { failed: unknown } | { refusing: unknown } | { beat: unknown }
>

export interface MemberListeners {
  onReady(member: Member): void
  /** It responded to a heartbeat. */
  onBeat(member: Member): void
  /** A connection that was passed to it did not reach it, and was passed on. */
  onLostConnection(member: Member): void
  onMessage(member: Member, message: MemberMessage): void
  /** Its process has ended, or was not created. */
  onEnd(member: Member): void
  /** Called after `onEnd` for a worker that ended while it was ready. */
  onDeath(member: Member, cause: { code: number | null; signal: string | null }): void
}

/** Sends a message to a worker, unless its channel is closed. */
export function sendTo(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.process.send(message, undefined, undefined, () => {})
}

/**
 * Starts the process of a worker.
 *
 * @param output writes its output.
 */
export function spawnMember(
  start: WorkerStart,
  listeners: MemberListeners,
  output: Pick<WorkerOutput, 'follow'>,
): Member {
  const worker = cluster.fork(workerVariables)
  const outputRead = output.follow(worker.process)
  const started = Promise.withResolvers<Awaited<Member['started']>>()
  const refusing = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const member: Member = {
    slot: start.slot,
    worker,
    passed: returnConnections(worker),
    state: 'starting',
    readyAt: Number.POSITIVE_INFINITY,
    missedBeats: 0,
    started: started.promise,
    refusing: refusing.promise,
    ended: ended.promise,
  }
  worker.on('message', (message: ToPrimary) => {
    if ('ready' in message) {
      if (member.state === 'starting') member.state = 'ready'
      member.readyAt = performance.now()
      member.missedBeats = 0
      listeners.onReady(member)
      started.resolve(message.ready)
    } else if ('failed' in message) started.resolve({ reason: message.failed, isExplained: true })
    else if ('refusing' in message) refusing.resolve()
    else if ('beat' in message) {
      listeners.onBeat(member)
      if (member.passed.returnLost(message.beat) > 0) listeners.onLostConnection(member)
    } else listeners.onMessage(member, message)
  })
  const end = (reason: string): void => {
    listeners.onEnd(member)
    started.resolve({ reason, isExplained: false })
    refusing.resolve()
    ended.resolve(outputRead)
  }
  // A process that was not created emits no `exit`, after which Node would delete the worker. For
  // others, this is a message that was not delivered.
  worker.on('error', (error) => {
    if (worker.process.pid !== undefined) return
    delete cluster.workers?.[worker.id]
    end(`not created: ${error.message}`)
  })
  worker.once('exit', (code, signal) => {
    end(signal ? `ended by ${signal}` : `ended with code ${code}`)
    if (member.state === 'ready') listeners.onDeath(member, { code, signal })
  })
  sendTo(worker, { start })
  return member
}

/** A message of the primary process: a connection that it passes to a worker, or a heartbeat. */
interface Passed {
  cmd?: string
  act?: string
  seq?: number
  beat?: number
}

/**
 * Passes a connection on if its worker died before it received it, or had no file descriptor for
 * it. Node would keep the connection open without an owner, and its client would wait for a
 * response without end. Node would also pass no further connection to a worker without descriptors.
 *
 * A worker confirms a connection before it responds to a later heartbeat, so that one without a
 * confirmation then was lost. At the pace of heartbeats, a worker that lacks descriptors causes
 * little work.
 *
 * Node's cluster has no interface for that. This reads its messages, whose form is the same since
 * Node 8, and acts as the worker does that rejects a connection while it stops. If the form
 * changes, it does nothing.
 *
 * @see Node.js, lib/internal/cluster/round_robin_handle.js, `handoff`;
 *   lib/internal/child_process.js, `target.disconnect`
 */
function returnConnections(worker: Worker): PassedConnections {
  // Without a file descriptor the process is not created, and has no channel.
  if (!('send' in worker.process)) return noConnections
  let total = 0
  let lastBeat = 0
  const passed = new Map<number, { handle: Handle; afterBeat: number }>()
  const target = worker.process
  const send = target.send.bind(target) as (...given: unknown[]) => boolean
  target.send = ((message: Passed, handle?: unknown, ...rest: unknown[]) => {
    if (message?.act === 'newconn' && typeof message.seq === 'number' && isHandle(handle)) {
      passed.set(message.seq, { handle, afterBeat: lastBeat })
      total += 1
    } else if (typeof message?.beat === 'number') lastBeat = message.beat
    return send(message, handle, ...rest)
  }) as typeof target.send
  target.on('internalMessage', ({ cmd, ack }: { cmd?: string; ack?: number }) => {
    if (cmd === 'NODE_CLUSTER' && ack !== undefined) passed.delete(ack)
  })
  /** Acts as a worker that rejects a connection: the cluster passes it on. */
  const reject = (ack: number): void => {
    target.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
  }
  let isDisconnected = false
  // The listener of the cluster was added first: it no longer considers this worker.
  worker.once('disconnect', () => {
    isDisconnected = true
    const areOthers = Object.values(cluster.workers ?? {}).some((one) => one?.isConnected())
    for (const [ack, { handle }] of passed) {
      if (areOthers) reject(ack)
      else handle.close()
    }
    passed.clear()
  })
  // Node omits `disconnect` if the process ended while a connection was on its way to it: then the
  // cluster would pass it further ones, too.
  worker.once('exit', async () => {
    while (target.connected) await sleep(1)
    await turnOfLoop()
    if (!isDisconnected) target.emit('disconnect')
  })
  return {
    total: () => total,
    pending: () => passed.size,
    returnLost: (beat) => {
      const lost = [...passed].filter(([, { afterBeat }]) => afterBeat < beat)
      for (const [ack] of lost) reject(ack)
      return lost.length
    },
  }
}

/** The connections that were passed to a worker. */
export interface PassedConnections {
  total(): number
  /** The number of connections that it has not received yet. */
  pending(): number
  /**
   * Passes the connections on that the worker has not received although it has responded to a later
   * heartbeat. Returns their number.
   */
  returnLost(beat: number): number
}

const noConnections: PassedConnections = {
  total: () => 0,
  pending: () => 0,
  returnLost: () => 0,
}

interface Handle {
  close(): void
}

const isHandle = (value: unknown): value is Handle =>
  typeof value === 'object' && value !== null && 'close' in value
