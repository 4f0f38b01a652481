import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { changeChannel } from '../../platform/sql/announce-change.ts'

export interface ChangeListener {
  /**
   * Whether a notification that was sent by another connection has been received on the present
   * one.
   */
  isNotified(): boolean
  close(): Promise<void>
}

interface Listening {
  /** The URL of the server itself: a pooler in front of it may not pass on notifications. */
  url: string
  /** The quoted, schema-qualified name of the watched table. */
  table: string
  /** Called after a change, or after a time without a connection. */
  changed(): void
  /** Sends a notification to all listeners, on another connection. */
  notify(payload: string): Promise<void>
}

/** The state of the present connection. */
interface Reception {
  isNotified: boolean
}

const connectTimeoutMs = 5_000
/** The time without data after which the connection is checked. */
const keepAliveMs = 10_000
const pausesMs = { first: 1_000, longest: 60_000 }

/**
 * Listens for the notifications of `announceChange` on a connection of its own. No correctness may
 * depend on it: a lost connection is not reported and is opened again after a pause, and some
 * poolers pass on no notification. It does not keep the process alive.
 */
export function listenForChanges(listening: Listening, pauses = pausesMs): ChangeListener {
  const closing = new AbortController()
  const pause = (ms: number) =>
    sleep(ms, undefined, { signal: closing.signal, ref: false }).catch(() => {})

  const reception: Reception = { isNotified: false }

  const listen = async (): Promise<void> => {
    let pauseMs = pauses.first
    while (!closing.signal.aborted) {
      const wasThere = await holdConnection(listening, reception, closing.signal)
      pauseMs = wasThere ? pauses.first : Math.min(pauseMs * 2, pauses.longest)
      await pause(pauseMs)
    }
  }
  const running = listen()
  return {
    isNotified: () => reception.isNotified,
    close: () => {
      closing.abort()
      return running
    },
  }
}

/** Listens until the connection ends. Returns whether it was established. Never throws. */
async function holdConnection(
  { url, table, changed, notify }: Listening,
  reception: Reception,
  signal: AbortSignal,
): Promise<boolean> {
  let client: ListeningClient
  try {
    // It reads the files that the URL names, such as the certificate of an authority.
    client = openClient(url)
  } catch {
    return false
  }
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  // The event also ends the connection, which is handled there.
  client.on('error', () => {})
  const probe = `probe ${randomUUID()}`
  client.on('notification', ({ payload }) => {
    if (payload === table) changed()
    if (payload === probe) reception.isNotified = true
  })
  // An abort during the connection leaves the promises of `pg` unsettled.
  const { promise: closed, reject } = Promise.withResolvers<never>()
  const close = () => reject(new Error('closed'))
  signal.addEventListener('abort', close, { once: true })
  try {
    await Promise.race([startListening(client), closed])
    changed()
    // Where it fails, changes are found by the periodic check.
    notify(probe).catch(() => {})
    await Promise.race([ended, closed])
    return true
  } catch {
    // The reason does not matter: changes are also found by a periodic check.
    return false
  } finally {
    reception.isNotified = false
    signal.removeEventListener('abort', close)
    client.end().catch(() => {})
  }
}

async function startListening(client: ListeningClient): Promise<void> {
  await client.connect()
  client.unref()
  await client.query(`listen ${changeChannel}`)
}

/** `unref` is missing in the published types. */
type ListeningClient = pg.Client & { unref(): void }

const openClient = (url: string) =>
  new pg.Client({
    connectionString: url,
    application_name: 'latchkey listener',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
  }) as ListeningClient
