import { createInterface } from 'node:readline'
import { createInterface as createPrompt } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError } from '../command-error.ts'

/**
 * Reads a secret: on a terminal from a prompt without echo, else the first line of standard input.
 * As an argument it would be visible to all users of the machine and stored in the shell's history.
 *
 * @throws UsageError if it is empty.
 */
export async function readSecret(question: string): Promise<string> {
  const { stdin } = process
  if (stdin.isTTY) process.stderr.write(`${question}: `)
  const secret = await firstLine()
  if (stdin.isTTY) process.stderr.write('\n')
  if (secret === '') throw new UsageError(`${question}: no value was entered`)
  return secret
}

async function firstLine(): Promise<string> {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const { stdin } = process
  const lines = createInterface({ input: stdin, output: silence, terminal: stdin.isTTY === true })
  // Ctrl-C ends the input, which counts as empty.
  lines.once('SIGINT', () => lines.close())
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
  }
}

/**
 * Requires a person at a terminal to type yes before an irreversible action. Without a terminal it
 * rejects.
 *
 * @throws UsageError unless the response is yes.
 */
export async function confirm(question: string): Promise<void> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) throw new UsageError(`${question} Confirmation needs a terminal: add --yes`)
  const lines = createPrompt({ input: stdin, output: stderr })
  try {
    const answer = await lines.question(`${question} Type yes: `)
    if (answer.trim().toLowerCase() !== 'yes') throw new UsageError('nothing was changed')
  } finally {
    lines.close()
  }
}
