import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { changeChannel } from '../../platform/sql/announce-change.ts'

export interface ChangeListener {
  close(): Promise<void>
}

interface Listening {
  /** Of the server itself: a pooler in front of it may not pass on what is announced. */
  url: string
  /** The quoted, schema-qualified name of the table that matters. */
  table: string
  /** It was changed, or may have been while nobody listened. */
  changed(): void
}

const connectTimeoutMs = 5_000
const pausesMs = { first: 1_000, longest: 60_000 }

/**
 * Listens, on a connection of its own, for what `announceChange` tells. Nothing may depend on it: the
 * connection is lost without a word and opened again after a pause, and some poolers never pass anything
 * on. It keeps no process alive.
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

/** Listens until the connection ends. Says whether there was one. Never throws. */
async function holdConnection(
  { url, table, changed }: Listening,
  signal: AbortSignal,
): Promise<boolean> {
  const client = openClient(url)
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  // It ends the connection, too, which is all that there is to know.
  client.on('error', () => {})
  client.on('notification', ({ payload }) => {
    if (payload === table) changed()
  })
  // Where it is cut short while it connects, `pg` never settles what was asked of it.
  const { promise: closed, reject } = Promise.withResolvers<never>()
  const close = () => reject(new Error('closed'))
  signal.addEventListener('abort', close, { once: true })
  try {
    await Promise.race([startListening(client), closed])
    changed()
    await Promise.race([ended, closed])
    return true
  } catch {
    // Why is of no use: what is missed is looked at by itself before long.
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

/** `unref` is missing in what others say of its types. */
type ListeningClient = pg.Client & { unref(): void }

const openClient = (url: string) =>
  new pg.Client({
    connectionString: url,
    application_name: 'latchkey listener',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  }) as ListeningClient
