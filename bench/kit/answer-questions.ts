import type { Answer, Question } from './child-process.ts'

/** Functions by name: the other end of `startChild`. */
export type Answers = Record<string, (input: never) => unknown>

/**
 * Reports that this process is ready, responds to questions, and ends with the process that sends
 * them.
 */
export function answerQuestions(answers: Answers): void {
  process.on('message', async ({ id, name, input }: Question) => {
    process.send?.(
      await answer(answers, name, input).then(
        (value): Answer => ({ id, value }),
        (error: Error): Answer => ({ id, error: error.stack ?? error.message }),
      ),
    )
  })
  process.on('disconnect', () => process.exit())
  process.send?.('ready')
}

async function answer(answers: Answers, name: string, input: unknown): Promise<unknown> {
  const find = answers[name]
  if (!find) throw new TypeError(`unknown question ${name}`)
  return find(input as never)
}
