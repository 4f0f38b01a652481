import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** Returns whether a terminal is available, by `script` of util-linux. Prints a message if not. */
export function hasTerminal(): boolean {
  const { status } = spawnSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' })
  if (status === 0) return true
  process.stderr.write('\n*** NOT RUN: what needs a terminal (`script` of util-linux) ***\n\n')
  return false
}

/** Returns the command that runs another one on its own terminal. */
export const onTerminal = (command: string[]): string[] => [
  'script',
  '--quiet',
  '--return',
  '--command',
  `exec ${command.map(quoted).join(' ')}`,
  '/dev/null',
]

/** Returns the process on the terminal of such a command. */
export function processOnTerminal(pid: number): number {
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return Number(child)
}
