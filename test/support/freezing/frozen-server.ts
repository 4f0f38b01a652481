import { Agent, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { readEnvironment } from '../../../src/standalone/settings/environment.ts'
import { type CliProcess, spawnCli } from '../cli-process.ts'
import { serve } from '../serve.ts'

/**
 * The handling of background work: the process is stopped after it, or the response waits for it.
 */
export type Afterwards = 'waitUntil' | 'nothing'

/** A service in a process that SIGSTOP stops between requests. Requests to `url` resume it. */
export interface FrozenServer extends CliProcess {
  url: string
  /** A URL whose requests do not resume it. */
  innerUrl: string
  isStopped(): boolean
  thaw(): void
}

const script = fileURLToPath(new URL('./frozen-host.ts', import.meta.url))

/**
 * The time for which a response waits for its messages, in seconds. The environment may override
 * it.
 */
const frozenDelay = '1'

/** Starts a service with the settings of an environment, and stops it at once. */
export async function startFrozenServer(
  env: Record<string, string>,
  afterwards: Afterwards,
): Promise<FrozenServer> {
  const { config, problems } = readEnvironment({
    AUTH_BACKGROUND_ANSWER_DELAY: frozenDelay,
    ...env,
    AUTH_BACKGROUND_FROZEN_BETWEEN_REQUESTS: 'true',
  })
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  const running = spawnCli([], {
    env: {
      LATCHKEY_CONFIG: JSON.stringify(config),
      ...(afterwards === 'waitUntil' && { LATCHKEY_WAIT_UNTIL: 'true' }),
    },
    wrap: ([node = '']) => [node, script],
  })
  const [, innerUrl = ''] = await running.printed(/"url":"([^"]+)","msg":"listening"/)
  let isStopped = false
  let isEnding = false
  let inFlight = 0
  let forwarded = 0
  const freeze = (): void => {
    if (isEnding) return
    isStopped = true
    running.signal('SIGSTOP')
  }
  const thaw = (): void => {
    isStopped = false
    running.signal('SIGCONT')
  }
  const front = await serve((request, response) => {
    inFlight += 1
    forwarded += 1
    const count = forwarded
    thaw()
    passOn(innerUrl, request, response)
    response.once('close', async () => {
      inFlight -= 1
      await running.printed(new RegExp(`IDLE ${count} `)).catch(() => {})
      if (inFlight === 0 && forwarded === count) freeze()
    })
  })
  freeze()
  return {
    ...running,
    url: front.url,
    innerUrl,
    isStopped: () => isStopped,
    thaw,
    stop: async () => {
      isEnding = true
      await front.close()
      thaw()
      return running.stop()
    },
  }
}

/**
 * Connections are kept alive, so that a request arrives together with the news of connections that
 * were closed meanwhile.
 */
const agent = new Agent({ keepAlive: true })

function passOn(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url } = request
  const forwarded = ask(target + url, { method, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  forwarded.on('error', () => response.destroy())
  request.pipe(forwarded)
}
