import { setTimeout as sleep } from 'node:timers/promises'
import { testPassword } from './test-auth.ts'

/** Clients that repeat each request until it succeeds. */
export interface RetryingLoad {
  /** Waits until each client has succeeded once more. */
  recovered(timeoutMs: number): Promise<void>
  /** Ends the clients, and verifies that the acknowledged changes are stored. */
  end(): Promise<LoadResult>
}

export interface LoadResult {
  /** Responses other than a success, 503 with `Retry-After` and 504; lost changes. */
  problems: string[]
  /** The number of responses by status; 0: none was received. */
  statuses: Record<number, number>
  /** The longest time without a successful refresh of any client. */
  longestRefreshGapMs: number
  /** The addresses of acknowledged sign-ups. */
  emails: string[]
  /** The addresses of acknowledged recoveries, once for each. */
  recoveries: string[]
}

interface LoadOptions {
  /** The number of clients of each kind. */
  clients?: { refresh: number; signUp: number; change: number; recover: number }
  pauseMs?: number
  /** Whether a request may have no response, since the service is killed. */
  mayLoseResponse?: boolean
}

interface WireAnswer {
  access_token: string
  refresh_token: string
  msg: string
  user_metadata: { n?: number }
}

/** The state of a client between its requests. */
interface Client {
  email: string
  accessToken: string
  refreshToken: string
  /** The last acknowledged change. */
  n: number
  /** The time of the first attempt of a refresh that has not succeeded yet. */
  refreshingSince?: number | undefined
}

const defaults = { refresh: 8, signUp: 2, change: 1, recover: 0 }

/**
 * Starts clients that refresh a session each, sign up users, change metadata, or request mails of
 * recovery.
 */
export async function startRetryingLoad(
  url: string,
  { clients = defaults, pauseMs = 20, mayLoseResponse = false }: LoadOptions = {},
): Promise<RetryingLoad> {
  const problems: string[] = []
  const statuses: Record<number, number> = {}
  const emails: string[] = []
  const recoveries: string[] = []
  const succeededAt: number[] = []
  let longestRefreshGapMs = 0
  let lastRefreshAt: number | null = null
  let isOver = false
  let sent = 0

  const send = async (
    method: string,
    path: string,
    body?: object,
    token?: string,
  ): Promise<WireAnswer | null> => {
    sent += 1
    let status = 0
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          'content-type': 'application/json',
          'x-load-client': `10.${(sent >> 14) & 255}.${(sent >> 7) & 127}.${sent & 127}`,
          ...(token && { authorization: `Bearer ${token}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      })
      const answer = (await response.json()) as WireAnswer
      status = response.status
      if (status === 200) return answer
      const isPassing = status === 504 || (status === 503 && response.headers.has('retry-after'))
      if (!isPassing) problems.push(`${path} ${status} ${answer.msg}`)
    } catch (error) {
      if (!mayLoseResponse) problems.push(`${path} ${String(error)} ${String(Object(error).cause)}`)
    } finally {
      statuses[status] = (statuses[status] ?? 0) + 1
    }
    return null
  }
  const signUp = async (): Promise<Client | null> => {
    const email = `retry-${crypto.randomUUID()}@load.test`
    const answer = await send('POST', '/signup', { email, password: testPassword })
    if (!answer) return null
    emails.push(email)
    const { access_token: accessToken, refresh_token: refreshToken } = answer
    return { email, accessToken, refreshToken, n: 0 }
  }

  /** Each returns whether the request succeeded. */
  const requests: Record<keyof typeof clients, (client: Client) => Promise<boolean>> = {
    refresh: async (client) => {
      client.refreshingSince ??= performance.now()
      const body = { refresh_token: client.refreshToken }
      const known = problems.length
      const answer = await send('POST', '/token?grant_type=refresh_token', body)
      const now = performance.now()
      if (!answer) {
        const ms = Math.round(now - client.refreshingSince)
        if (problems.length > known) problems.push(`first sent ${ms} ms before`)
        return false
      }
      client.refreshingSince = undefined
      longestRefreshGapMs = Math.max(longestRefreshGapMs, now - (lastRefreshAt ?? now))
      lastRefreshAt = now
      client.refreshToken = answer.refresh_token
      return true
    },
    signUp: async () => (await signUp()) !== null,
    change: async (client) => {
      const body = { data: { n: client.n + 1 } }
      const answer = await send('PUT', '/user', body, client.accessToken)
      if (answer) client.n += 1
      return answer !== null
    },
    recover: async ({ email }) => {
      const answer = await send('POST', '/recover', { email })
      if (answer) recoveries.push(email)
      return answer !== null
    },
  }
  const changing: Client[] = []
  const run = async (kind: keyof typeof clients, index: number) => {
    let client: Client | null = null
    while (!isOver) {
      const isNew = client === null
      client ??= await signUp()
      if (isNew && client && kind === 'change') changing.push(client)
      if (client && (await requests[kind](client))) succeededAt[index] = performance.now()
      await sleep(pauseMs)
    }
  }
  const kinds = (Object.keys(clients) as (keyof typeof clients)[]).flatMap((kind) =>
    Array<typeof kind>(clients[kind]).fill(kind),
  )
  const running = kinds.map(run)
  const recovered = async (timeoutMs: number) => {
    const from = performance.now()
    while (!kinds.every((_, index) => (succeededAt[index] ?? 0) > from)) {
      if (performance.now() - from > timeoutMs) {
        throw new Error(`the service did not recover: ${problems.slice(-5).join('; ')}`)
      }
      await sleep(20)
    }
  }
  await recovered(20_000)
  return {
    recovered,
    end: async () => {
      isOver = true
      await Promise.all(running)
      for (const { accessToken, n } of changing) {
        const stored = (await send('GET', '/user', undefined, accessToken))?.user_metadata.n ?? 0
        if (stored < n) problems.push(`the change ${n} is lost, ${stored} is stored`)
      }
      return { problems, statuses, longestRefreshGapMs, emails, recoveries }
    },
  }
}
