import { ask } from './ask.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import type { Answer, RequestOptions } from './test-auth.ts'

/** Two processes on one database, which receive requests alternately. */
export interface ServerPair {
  ask(method: string, path: string, options?: RequestOptions): Promise<Answer>
  post(path: string, body: object): Promise<Answer>
  stop(): Promise<unknown>
}

export async function startPair(
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<ServerPair> {
  // Many concurrent requests take longer than the default on a busy machine.
  const settings = { AUTH_API_MAX_REQUEST_DURATION: '60s', ...env }
  const start = () => startServer(databaseUrl, settings)
  const servers = await Promise.all([start(), start()])
  let requested = 0
  const next = (): ServerProcess => servers[requested++ % 2 === 0 ? 0 : 1]
  return {
    ask: (method, path, options) => ask(next().url, method, path, options),
    post: (path, body) => ask(next().url, 'POST', path, { body }),
    stop: () => Promise.all(servers.map((server) => server.stop())),
  }
}

/** Returns 0, 1, 2, … */
export const numbers = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => index)

/** Runs an operation for all items at once, and returns the results. */
export const atOnce = <T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> =>
  Promise.all(items.map(act))
