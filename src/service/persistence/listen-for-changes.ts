import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { changeChannel } from '../../platform/sql/announce-change.ts'

export interface ChangeListener {
  close(): Promise<void>
}

interface Listening {
  /** The URL of the server itself: a pooler in front of it may not pass on notifications. */
  url: string
  /** The quoted, schema-qualified name of the watched table. */
  table: string
  /** Called after a change, or after a time without a connection. */
  changed(): void
}

const connectTimeoutMs = 5_000
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

  const listen = async (): Promise<void> => {
    let pauseMs = pauses.first
    while (!closing.signal.aborted) {
      const wasThere = await holdConnection(listening, closing.signal)
      pauseMs = wasThere ? pauses.first : Math.min(pauseMs * 2, pauses.longest)
      await pause(pauseMs)
    }
  }
  const running = listen()
  return {
    close: () => {
      closing.abort()
      return running
    },
  }
}

/** Listens until the connection ends. Returns whether it was established. Never throws. */
async function holdConnection(
  { url, table, changed }: Listening,
  signal: AbortSignal,
): Promise<boolean> {
  const client = openClient(url)
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  // The event also ends the connection, which is handled there.
  client.on('error', () => {})
  client.on('notification', ({ payload }) => {
    if (payload === table) changed()
  })
  // An abort during the connection leaves the promises of `pg` unsettled.
  const { promise: closed, reject } = Promise.withResolvers<never>()
  const close = () => reject(new Error('closed'))
  signal.addEventListener('abort', close, { once: true })
  try {
    await Promise.race([startListening(client), closed])
    changed()
    await Promise.race([ended, closed])
    return true
  } catch {
    // The reason does not matter: changes are also found by a periodic check.
    return false
  } finally {
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
  }) as ListeningClient
