import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A client that writes rows, one after another, as fast as the cluster permits. */
export interface BareClient {
  /** The longest time between two successful writes. */
  longestGapMs(): number
  /** Ends it, and returns the numbers of the acknowledged rows. */
  end(): Promise<number[]>
}

/** Starts a client that reconnects at once, and gives up each attempt after a second. */
export async function startBareClient(url: string, pauseMs: number): Promise<BareClient> {
  const acknowledged: number[] = []
  let lastAt = performance.now()
  let longestMs = 0
  let isOver = false
  let client: pg.Client | null = null

  const connect = async () => {
    const opened = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 1_000,
      query_timeout: 1_000,
    })
    opened.on('error', () => {})
    await opened.connect()
    return opened
  }
  const first = await connect()
  await first.query('create table if not exists bare_rows (n int primary key)')
  client = first
  const loop = async () => {
    for (let n = 1; !isOver; n += 1) {
      try {
        client ??= await connect()
        await client.query('insert into bare_rows values ($1)', [n])
        acknowledged.push(n)
        longestMs = Math.max(longestMs, performance.now() - lastAt)
        lastAt = performance.now()
      } catch {
        void client?.end().catch(() => {})
        client = null
      }
      await sleep(pauseMs)
    }
    await client?.end().catch(() => {})
  }
  const running = loop()
  return {
    longestGapMs: () => longestMs,
    end: async () => {
      isOver = true
      await running
      return acknowledged
    },
  }
}
