import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import type { Account } from '../postgres-binaries.ts'

/** A program that ends with the test process, also if that is killed. */
export interface Supervised {
  pid: number
  kill(signal: NodeJS.Signals): void
  ended: Promise<unknown>
}

/** Ends the program when descriptor 3 is closed, which any end of the test process does. */
const lifeline = `
  { cat <&3; kill -TERM $$; sleep 5; kill -KILL $$; } >/dev/null 2>&1 &
  exec "$@" 3<&-`

interface Options {
  account: Account
  cwd: string
  /** The file of its output. */
  log: string
  env?: Record<string, string>
}

export async function startSupervised(
  command: readonly string[],
  { account, cwd, log, env = {} }: Options,
): Promise<Supervised> {
  const output = openSync(log, 'a')
  const { PATH = '' } = process.env
  const child: ChildProcess = spawn('/bin/sh', ['-c', lifeline, 'lifeline', ...command], {
    cwd,
    stdio: ['ignore', output, output, 'pipe'],
    env: { PATH, HOME: cwd, LC_ALL: 'C.UTF-8', ...env },
    detached: true,
    ...account,
  })
  closeSync(output)
  await once(child, 'spawn')
  const ended = once(child, 'exit').finally(() => child.stdio[3]?.destroy())
  return { pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), ended }
}
