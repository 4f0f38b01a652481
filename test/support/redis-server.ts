import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from './server-process.ts'

/** True where Redis is installed (Debian: redis-server). Its absence is reported. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) {
  process.stderr.write(
    '\nNOT RUN: redis-server is not on the PATH, so no test of limits in Redis runs\n\n',
  )
}

/** A Redis without persistence, on a port of 127.0.0.1. */
export interface RedisServer {
  url: string
  /** Ends it, without a farewell. */
  kill(): Promise<void>
  /** Stops the process, whose connections stay open, or continues it. */
  freeze(): void
  resume(): void
  /** Starts it again on the same port, without its keys. */
  restart(): Promise<void>
}

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort()
  let child = await startOn(port)
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    freeze: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    restart: async () => {
      await kill()
      child = await startOn(port)
    },
  }
}

async function startOn(port: number): Promise<ChildProcess> {
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const chunk of child.stdout ?? [])
    if (String(chunk).includes('Ready to accept connections')) break
  return child
}
