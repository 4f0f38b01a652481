import { createInterface } from 'node:readline/promises'
import { UsageError } from './usage-error.ts'

/**
 * Has a person at a terminal say yes to what cannot be undone. Elsewhere nobody can be asked.
 *
 * @throws UsageError unless the answer is yes.
 */
export async function confirm(question: string): Promise<void> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) throw new UsageError(`${question} Nobody can be asked here: say so with --yes`)
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    const answer = await lines.question(`${question} Type yes: `)
    if (answer.trim().toLowerCase() !== 'yes') throw new UsageError('nothing was done')
  } finally {
    lines.close()
  }
}
