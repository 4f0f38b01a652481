import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Mailbox, openMailbox } from 'latchkey/testing'

export interface Application {
  origin: string
  mailbox: Mailbox
  stop(): Promise<void>
}

const project = join(import.meta.dirname, '..')
const timeoutMs = 120_000

/**
 * Starts the application in development, in an empty folder: with a database of its own and a
 * mailbox.
 */
export async function startApplication(env: Record<string, string>): Promise<Application> {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const folder = await mkdtemp(join(tmpdir(), 'application-'))
  const vite = join(project, 'node_modules/vite/bin/vite.js')
  const server = spawn(
    process.execPath,
    [vite, 'dev', project, '--port', String(port), '--strictPort'],
    {
      cwd: folder,
      // Vite would color its output in CI.
      env: { ...process.env, NO_COLOR: '1', NODE_ENV: 'development', SITE_URL: origin, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const stop = async () => {
    server.kill()
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const mailboxUrl = new Promise<string>((resolve, reject) => {
    let output = ''
    let isRequested = false
    const fail = () => reject(new Error(`the application does not start:\n${output}`))
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
        const [url] = /http:\S+\/_latchkey\/mail\?token=\w+/.exec(output) ?? []
        if (url) resolve(url)
        // The first request starts the application.
        else if (output.includes('Local:') && !isRequested) {
          isRequested = true
          fetch(origin).catch(fail)
        }
      })
    }
    server.once('exit', fail)
    setTimeout(fail, timeoutMs).unref()
  })
  try {
    return { origin, mailbox: await openMailbox(await mailboxUrl), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
