import type { Answer, Question } from './child-process.ts'

/** Answers by name: the other end of `startChild`. */
export type Answers = Record<string, (input: never) => unknown>

/** Says that this process is ready, answers what it is asked, and ends with the process that asks. */
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
  if (!find) throw new TypeError(`nobody answers ${name}`)
  return find(input as never)
}
