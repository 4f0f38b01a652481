import { readdirSync, readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { vi } from 'vitest'
import type { ServerProcess } from './server-process.ts'

/** Returns the process ids of the running workers of a server. */
export function workersOf({ pid }: Pick<ServerProcess, 'pid'>): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number)
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, in parentheses, may contain spaces. `Z` is a process that has ended.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? null : Number(parent)
  } catch {
    return null
  }
}

export const isRunning = (pid: number): boolean => parentOf(String(pid)) !== null

/** The response to a request of {@link openClient}. */
export interface Received {
  status: number
  connection: string | undefined
  retryAfter: string | undefined
  body: string
}

/** A client with one kept connection. */
export interface KeptClient {
  get(path: string, headers?: Record<string, string>): Promise<Received>
  close(): void
}

export function openClient(url: string): KeptClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    get: (path, headers = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(`${url}${path}`, { agent, headers }, async (answer) => {
          try {
            const body = await textOf(answer)
            const { connection, 'retry-after': retryAfter } = answer.headers
            resolve({ status: answer.statusCode ?? 0, connection, retryAfter, body })
          } catch (error) {
            reject(error)
          }
        })
        sent.once('error', reject).end()
      }),
    close: () => agent.destroy(),
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of answer) parts.push(part)
  return Buffer.concat(parts).toString()
}

/**
 * Waits until a check no longer throws. A process takes seconds to start, and many of them where
 * others are busy.
 */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 120_000 })

/** Waits until a server has this number of workers that accept requests. */
export const whenReady = (url: string, count: number): Promise<void> =>
  eventually(async () => {
    const answer = await fetch(`${url}/ready`, { headers: { connection: 'close' } })
    const { workers } = (await answer.json()) as { workers?: { ready: number } }
    if (workers?.ready !== count) throw new Error(`${workers?.ready} workers are ready`)
  })
