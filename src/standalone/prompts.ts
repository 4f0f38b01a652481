import { createInterface } from 'node:readline'
import { createInterface as createPrompt } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError } from './usage-error.ts'

/**
 * Reads a secret: asked for on a terminal, where it is not shown, else the first line of standard input.
 * A command line would show it to everybody on the machine, and keep it in the shell's history.
 *
 * @throws UsageError when nothing was said.
 */
export async function readSecret(question: string): Promise<string> {
  const { stdin } = process
  if (stdin.isTTY) process.stderr.write(`${question}: `)
  const secret = await firstLine()
  if (stdin.isTTY) process.stderr.write('\n')
  if (secret === '') throw new UsageError(`${question}: nothing was given`)
  return secret
}

async function firstLine(): Promise<string> {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const { stdin } = process
  const lines = createInterface({ input: stdin, output: silence, terminal: stdin.isTTY === true })
  // Ctrl-C says nothing, which is refused.
  lines.once('SIGINT', () => lines.close())
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
  }
}

/**
 * Has a person at a terminal say yes to what cannot be undone. Elsewhere nobody can be asked.
 *
 * @throws UsageError unless the answer is yes.
 */
export async function confirm(question: string): Promise<void> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) throw new UsageError(`${question} Nobody can be asked here: say so with --yes`)
  const lines = createPrompt({ input: stdin, output: stderr })
  try {
    const answer = await lines.question(`${question} Type yes: `)
    if (answer.trim().toLowerCase() !== 'yes') throw new UsageError('nothing was done')
  } finally {
    lines.close()
  }
}
