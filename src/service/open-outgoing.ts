import { type Fetch, tracedFetch } from '../credentials/external/protocol/request-provider.ts'
import type { Config } from '../platform/config/config.ts'
import { serviceUnavailable } from '../platform/errors/request-errors.ts'
import { type ClientScope, pathOfClient } from '../platform/kit/client-scope.ts'
import { createOutgoingQueue, type OutgoingQueue } from '../platform/kit/outgoing-queue.ts'
import { type OutsideFetch, openOutsideFetch } from '../platform/kit/outside-fetch.ts'
import { openKeptAliveFetch, safeFetch } from '../platform/kit/safe-fetch.ts'
import type { Telemetry } from '../platform/observability/telemetry.ts'

/**
 * The requests to other servers that clients cause. Each purpose has a queue of its own: hooks and
 * captchas do not wait behind servers that do not respond, nor keep the others waiting.
 */
export interface Outgoing {
  /** For providers, key sets, and lists of breached passwords. */
  fetch: Fetch
  captchaFetch: Fetch
  /** For URLs that operators store. */
  outsideFetch: OutsideFetch
  /** For URLs that OAuth clients register. */
  clientFetch: OutsideFetch
  /** For the messages of capabilities. */
  outletFetch: OutsideFetch
  hookQueue: OutgoingQueue
  /** For codes that an SMS carrier verifies. */
  codeCheckQueue: OutgoingQueue
  /** Closes the kept connections. */
  close(): void
}

interface Needs {
  /** Replaces the requests of this process, in tests. */
  own: Fetch | undefined
  telemetry: Telemetry | null
  clientScope: ClientScope
}

/** Opens the requests to other servers. Each queue has the full width. */
export function openOutgoing(config: Config, { own, telemetry, clientScope }: Needs): Outgoing {
  const connections = openKeptAliveFetch(config.outgoing.maxRequests)
  // The other side closes kept connections while the process is frozen.
  const send = config.background.frozenBetweenRequests ? safeFetch : connections.fetch
  const traced = tracedFetch(own ?? send, telemetry)
  const queue = () => openQueue(config, clientScope)
  return {
    fetch: queuedFetch(traced, queue()),
    captchaFetch: queuedFetch(traced, queue()),
    outsideFetch: openOutsideFetch(traced, queue()),
    clientFetch: openOutsideFetch(traced, queue()),
    outletFetch: openOutsideFetch(traced, queue()),
    hookQueue: queue(),
    codeCheckQueue: queue(),
    close: () => connections.close(),
  }
}

const queuedFetch =
  (fetch: Fetch, queue: OutgoingQueue): Fetch =>
  (url, options) =>
    queue(() => fetch(url, options))

/** The number of waiting requests to other servers for each running one, and the maximum wait. */
const waitingPerRequest = 8
const maxOutgoingWaitMs = 5_000

const openQueue = (
  { outgoing: { maxRequests } }: Config,
  { current }: ClientScope,
): OutgoingQueue =>
  createOutgoingQueue({
    width: maxRequests,
    maxWaiting: waitingPerRequest * maxRequests,
    maxWaitMs: maxOutgoingWaitMs,
    pathOf: () => pathOfClient(current()),
    full: () => serviceUnavailable('Too many concurrent requests to other services'),
  })
