import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A running host.
 *
 * @typedef {object} RunningHost
 * @property {string} url
 * @property {() => string} output returns its output so far
 * @property {() => void} stop
 */

/**
 * Starts a built host, and waits until Latchkey responds.
 *
 * @param {string} folder
 * @param {import('./hosts.mjs').Host} host
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<RunningHost>}
 */
export async function runHost(folder, { runtime, main, args = [] }, env) {
  const port = await freePort()
  const program = runtime ? join(folder, runtime) : process.execPath
  const server = spawn(program, [join(folder, main), ...args], {
    cwd: folder,
    env: {
      ...env,
      PORT: String(port),
      HOSTNAME: '127.0.0.1',
      HOST: '127.0.0.1',
      NITRO_HOST: '127.0.0.1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [server.stdout, server.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const url = `http://127.0.0.1:${port}`
  const running = { url, output: () => output, stop: () => void server.kill('SIGKILL') }
  for (let attempts = 0; ; attempts += 1) {
    const health = await healthOf(url)
    if (health?.name === 'Latchkey') return running
    if (attempts > 100 || server.exitCode !== null) {
      running.stop()
      throw new Error(`the host does not respond: ${JSON.stringify(health)}\n${output}`)
    }
    await sleep(200)
  }
}

/**
 * @param {string} url
 * @returns {Promise<any>}
 */
const healthOf = (url) =>
  fetch(`${url}/auth/health`)
    .then((answer) => answer.json())
    .catch(() => null)

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
