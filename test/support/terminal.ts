import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** Whether a terminal can be had here: by `script` of util-linux. Says so when not. */
export function hasTerminal(): boolean {
  const { status } = spawnSync('script', ['-qec', 'true', '/dev/null'], { stdio: 'ignore' })
  if (status === 0) return true
  process.stderr.write('\n*** NOT RUN: what needs a terminal (`script` of util-linux) ***\n\n')
  return false
}

/** The command that runs another one on a terminal of its own. */
export const onTerminal = (command: string[]): string[] => [
  'script',
  '--quiet',
  '--return',
  '--command',
  `exec ${command.map(quoted).join(' ')}`,
  '/dev/null',
]

/** The process that runs on the terminal of such a command. */
export function processOnTerminal(pid: number): number {
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return Number(child)
}
