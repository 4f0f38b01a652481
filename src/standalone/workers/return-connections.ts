import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep, setImmediate as turnOfLoop } from 'node:timers/promises'

/** A connection that the primary process passes to a worker. */
interface Passed {
  cmd?: string
  act?: string
  seq?: number
}

/**
 * Passes a connection to another worker if the first one died before it received it. Node would
 * keep the connection open without an owner, and its client would wait for a response without end.
 *
 * Node's cluster has no interface for that. This reads its messages, whose form is the same since
 * Node 8, and acts as the worker does that rejects a connection while it stops. If the form
 * changes, it does nothing.
 *
 * @see Node.js, lib/internal/cluster/round_robin_handle.js, `handoff`;
 *   lib/internal/child_process.js, `target.disconnect`
 */
export function returnConnections(worker: Worker): PassedConnections {
  let total = 0
  const passed = new Map<number, Handle>()
  const target = worker.process
  const send = target.send.bind(target) as (...given: unknown[]) => boolean
  target.send = ((message: Passed, handle?: unknown, ...rest: unknown[]) => {
    if (message?.act === 'newconn' && typeof message.seq === 'number' && isHandle(handle)) {
      passed.set(message.seq, handle)
      total += 1
    }
    return send(message, handle, ...rest)
  }) as typeof target.send
  target.on('internalMessage', ({ cmd, ack }: { cmd?: string; ack?: number }) => {
    if (cmd === 'NODE_CLUSTER' && ack !== undefined) passed.delete(ack)
  })
  let isDisconnected = false
  // The listener of the cluster was added first: it no longer considers this worker.
  worker.once('disconnect', () => {
    isDisconnected = true
    const areOthers = Object.values(cluster.workers ?? {}).some((one) => one?.isConnected())
    for (const [ack, handle] of passed) {
      if (areOthers) target.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
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
  return { total: () => total, pending: () => passed.size }
}

/** The connections that were passed to a worker. */
export interface PassedConnections {
  total(): number
  /** The number of connections that it has not received yet. */
  pending(): number
}

interface Handle {
  close(): void
}

const isHandle = (value: unknown): value is Handle =>
  typeof value === 'object' && value !== null && 'close' in value
