import { setTimeout as sleep } from 'node:timers/promises'
import { testPassword } from './test-auth.ts'

/** One request under load. Times are of `performance.now()`. */
export interface Observed {
  kind: string
  startedAt: number
  endedAt: number
  /** 0: no response was received. */
  status: number
  retryAfter: string | null
  errorCode: string | null
  problem: string | null
}

export interface FaultLoad {
  /** Ends the load after the running requests, and returns all of them. */
  end(): Promise<Observed[]>
  /** Waits until each kind of request that began after this call has succeeded; returns the ms. */
  recovered(timeoutMs: number): Promise<number>
}

const kinds = ['sign-in', 'refresh', 'user', 'change', 'sign-up', 'code'] as const
type Kind = (typeof kinds)[number]

interface WireAnswer {
  access_token: string
  refresh_token: string
  error_code: string
  msg: string
}

/** The header from which the tested servers read the address of the client. */
export const loadEnvironment = { AUTH_RATE_LIMIT_HEADER: 'x-load-client' }

/** Sends requests of each kind, one after another, as a user who tries again does. */
export async function startFaultLoad(url: string, pauseMs = 100): Promise<FaultLoad> {
  const observed: Observed[] = []
  let sent = 0
  let isOver = false

  const send = async (
    kind: string,
    method: string,
    path: string,
    body?: object,
    token?: string,
  ) => {
    sent += 1
    const one: Observed = {
      kind,
      startedAt: performance.now(),
      endedAt: 0,
      status: 0,
      retryAfter: null,
      errorCode: null,
      problem: null,
    }
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          'content-type': 'application/json',
          'x-load-client': `10.${(sent >> 14) & 255}.${(sent >> 7) & 127}.${sent & 127}`,
          ...(token && { authorization: `Bearer ${token}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      })
      one.status = response.status
      one.retryAfter = response.headers.get('retry-after')
      const answer = (await response.json().catch(() => null)) as WireAnswer | null
      one.errorCode = answer?.error_code ?? null
      if (!response.ok) one.problem = answer?.msg ?? null
      return { ok: response.ok, answer }
    } catch (error) {
      one.problem =
        error instanceof Error ? `${error.message} ${String(error.cause)}` : String(error)
      return { ok: false, answer: null }
    } finally {
      one.endedAt = performance.now()
      observed.push(one)
    }
  }

  const newEmail = () => `load-${crypto.randomUUID()}@load.test`
  const email = newEmail()
  const signUp = () => send('sign-up', 'POST', '/signup', { email, password: testPassword })
  let { ok, answer } = await signUp()
  // On a busy machine a process that has just started may be overloaded for a moment.
  for (let repeated = 0; !ok && repeated < 10; repeated += 1) {
    await sleep(500)
    ;({ ok, answer } = await signUp())
  }
  if (!ok) throw new Error(`the first sign-up fails: ${observed.at(-1)?.problem}`)
  const token = answer?.access_token
  let refreshToken = answer?.refresh_token
  const requests: Record<Kind, () => Promise<unknown>> = {
    'sign-in': () =>
      send('sign-in', 'POST', '/token?grant_type=password', { email, password: testPassword }),
    refresh: async () => {
      const refreshed = await send('refresh', 'POST', '/token?grant_type=refresh_token', {
        refresh_token: refreshToken,
      })
      refreshToken = refreshed.answer?.refresh_token ?? refreshToken
    },
    user: () => send('user', 'GET', '/user', undefined, token),
    change: () => send('change', 'PUT', '/user', { data: { n: sent } }, token),
    'sign-up': () =>
      send('sign-up', 'POST', '/signup', { email: newEmail(), password: testPassword }),
    code: () => send('code', 'POST', '/otp', { email: newEmail(), create_user: false }),
  }
  const loops = kinds.map(async (kind) => {
    while (!isOver) {
      await requests[kind]()
      await sleep(pauseMs)
    }
  })
  return {
    end: async () => {
      isOver = true
      await Promise.all(loops)
      return observed
    },
    recovered: async (timeoutMs) => {
      const from = performance.now()
      while (performance.now() - from < timeoutMs) {
        const isBack = (kind: Kind) =>
          observed.some(
            (one) => one.kind === kind && one.endedAt >= from && [200, 422].includes(one.status),
          )
        if (kinds.every(isBack)) return performance.now() - from
        await sleep(20)
      }
      return Number.POSITIVE_INFINITY
    },
  }
}

/** Requests an endpoint that needs no database, or `/ready`, while the load runs. */
export async function timedGet(url: string): Promise<{ status: number; ms: number }> {
  const startedAt = performance.now()
  const response = await fetch(url, { signal: AbortSignal.timeout(20_000) }).catch(() => null)
  await response?.arrayBuffer()
  return { status: response?.status ?? 0, ms: performance.now() - startedAt }
}
