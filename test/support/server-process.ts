import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CliOptions, type CliProcess, spawnCli } from './cli-process.ts'
import { type Afterwards, startFrozenServer } from './freezing/frozen-server.ts'
import { pooledEnvironment } from './pooled-environment.ts'
import { pooledServer } from './pooled-server.ts'
import { testSecret } from './test-auth.ts'

/** `latchkey serve` as a process of its own, listening. */
export interface ServerProcess extends CliProcess {
  /** `http://127.0.0.1:…`, without a slash at its end. */
  url: string
  /** Returns the lines of its log so far. */
  log(): Record<string, unknown>[]
}

/** The settings that `latchkey serve` requires beside a database. Hashes have the lowest cost. */
export const serverEnvironment = {
  AUTH_SITE_URL: 'https://app.example.test',
  AUTH_API_EXTERNAL_URL: 'https://auth.example.test',
  AUTH_JWT_SECRET: testSecret,
  AUTH_MAILER_AUTOCONFIRM: 'true',
  AUTH_API_HOST: '127.0.0.1',
  AUTH_API_PORT: '0',
  AUTH_PASSWORD_HASH_MEMORY_KIB: '64',
  AUTH_PASSWORD_HASH_ITERATIONS: '1',
}

/**
 * Starts `latchkey serve` on a database, and waits until its log contains the URL.
 *
 * @param options another build of the command, or a command that runs it.
 */
export async function startServer(
  databaseUrl: string,
  env: Record<string, string> = {},
  args: readonly string[] = ['serve'],
  options: Pick<CliOptions, 'cli' | 'wrap'> = {},
): Promise<ServerProcess> {
  if (process.env[frozenVariable]) return startFrozen(databaseUrl, env)
  const running = spawnCli(args, { ...environmentFor(databaseUrl, env), ...options })
  const [, url = ''] = await running.printed(/"url":"([^"]+)","msg":"listening"/)
  return asServer(running, url)
}

/**
 * The environment variable by which `startServer` starts services in processes that are stopped
 * between requests.
 */
export const frozenVariable = 'LATCHKEY_TEST_FROZEN'

async function startFrozen(
  databaseUrl: string,
  env: Record<string, string>,
): Promise<ServerProcess> {
  const afterwards = process.env[frozenVariable] as Afterwards
  const running = await startFrozenServer(environmentFor(databaseUrl, env).env ?? {}, afterwards)
  return asServer(running, running.url)
}

/** Starts a server whose log is not read, on a chosen port, and waits for `GET /health`. */
export async function startQuietServer(
  databaseUrl: string,
  env: Record<string, string>,
): Promise<ServerProcess> {
  const port = await freePort()
  const running = spawnCli(
    ['serve'],
    environmentFor(databaseUrl, { ...env, AUTH_API_PORT: String(port) }),
  )
  const url = `http://127.0.0.1:${port}`
  const exited = running.ended.then(({ code }) => {
    throw new Error(`ended with code ${code}:\n${running.output()}`)
  })
  await Promise.race([exited, whenHealthy(url)])
  // The start is complete: the test handles the end of the process from now on.
  exited.catch(() => {})
  return asServer(running, url)
}

/** `AUTH_WORKERS=2 npm run test:floods` runs services with workers, and so for other tests. */
const { AUTH_WORKERS } = process.env

export const environmentFor = (
  databaseUrl: string,
  env: Record<string, string> = {},
): CliOptions => ({
  env: {
    ...serverEnvironment,
    ...(AUTH_WORKERS && { AUTH_WORKERS }),
    ...pooledEnvironment(pooledServer(), databaseUrl),
    ...env,
  },
})

/** Returns a free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

/** Returns the lines of a log that are JSON objects. */
export const readLog = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

const asServer = (running: CliProcess, url: string): ServerProcess => ({
  ...running,
  url,
  log: () => readLog(running.output()),
})

async function whenHealthy(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(1_000) }).catch(
      () => null,
    )
    if (answer?.ok) return
    await sleep(25)
  }
}
