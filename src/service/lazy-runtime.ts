import type { Config } from '../platform/config/config.ts'
import { AuthError } from '../platform/errors/auth-error.ts'
import { createDrain } from '../platform/kit/drain.ts'
import type { RequestScope } from './background/background.ts'
import type { Runtime } from './runtime.ts'
import type { World } from './world.ts'

/** A runtime that starts at its first use. */
export interface LazyRuntime {
  /** Returns the runtime, and starts it if it is not running. */
  get(): Promise<Runtime>
  /** The started runtime, until it is closed. */
  readonly live: Runtime | undefined
  /** Starts the runtime outside a request, where a host's `waitUntil` may not be called. */
  start(): Promise<Runtime>
  /** Runs work of a request or call. By default it does not wait for due background tasks. */
  use<T>(work: (running: Runtime) => T | Promise<T>, scope?: Partial<RequestScope>): Promise<T>
  /** Waits until running work has ended, then ends the runtime. */
  end(how: 'close' | 'retire'): Promise<void>
}

/** Returns the runtime of a service. Its modules, the database's among them, load at its start. */
export function createLazyRuntime(config: Config, world: World): LazyRuntime {
  const drain = createDrain()
  let starting: Promise<Runtime> | undefined
  let live: Runtime | undefined
  let isEnding = false

  const get = (): Promise<Runtime> => {
    starting ??= import('./runtime.ts')
      .then(({ startRuntime }) => startRuntime(config, world))
      .then((started) => {
        if (!isEnding) live = started
        return started
      })
      // A failed start is tried again at the next request: the database may be reachable by then.
      .catch((error) => {
        starting = undefined
        throw error
      })
    return starting
  }

  return {
    get,
    get live() {
      return live
    },
    start: () => drain.track(get),
    use: (work, { waitUntil, isAwaited = false } = {}) =>
      drain.track(async () => {
        const running = await get()
        const scope = { waitUntil: waitUntil ?? config.background.waitUntil, isAwaited }
        return running.background.runWithin(async () => work(running), scope)
      }),
    end: async (how) => {
      isEnding = true
      live = undefined
      await drain.close()
      const started = await starting?.catch(() => undefined)
      await started?.[how]()
    },
  }
}

/**
 * Replaces the message of an error of the database by that of its cause, which names host, port and
 * database. Only `auth.ready` does so: hosts may pass on the errors of other calls to their
 * clients.
 */
export async function withDatabaseReason<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { cause } = Object(error)
    if (!(error instanceof AuthError) || Object(cause).name !== 'DatabaseError') throw error
    throw new AuthError(error.code, error.status, cause.message, error.details, { cause })
  }
}
