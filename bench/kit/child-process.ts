import { type ChildProcess, fork } from 'node:child_process'
import type { Worker } from 'node:cluster'
import { once } from 'node:events'
import { builtScript } from './build.ts'

/** A question to a child process: see `answerQuestions`. */
export interface Question {
  id: number
  name: string
  input: unknown
}
export type Answer = { id: number } & ({ value: unknown } | { error: string })

/** A script in a process of its own that responds to questions. */
export interface Child {
  ask<T>(name: string, input?: unknown): Promise<T>
  stop(): Promise<void>
}

/**
 * Starts a script with `NODE_ENV=production` and the flags of this Node (such as `--cpu-prof`), and
 * waits until it is ready.
 *
 * @param script relative to `bench/`, built by `buildScripts`.
 * @param args its `process.argv`.
 */
export const startChild = (script: string, ...args: string[]): Promise<Child> =>
  startChildWith({}, script, ...args)

/** @param env further variables of the process. */
export async function startChildWith(
  env: Record<string, string>,
  script: string,
  ...args: string[]
): Promise<Child> {
  const child = fork(builtScript(script), args, {
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  const exited: Promise<never> = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${script} ended (${signal ?? code})`)
  })
  exited.catch(() => {})
  await Promise.race([once(child, 'message'), exited])

  let requested = 0
  return {
    ask: <T>(name: string, input?: unknown) =>
      Promise.race([ask<T>(child, { id: ++requested, name, input }), exited]),
    stop: async () => {
      child.disconnect()
      await exited.catch(() => {})
    },
  }
}

/** Sends a question to a process that runs `answerQuestions`. */
export function ask<T>(child: ChildProcess | Worker, question: Question): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: Answer) => {
      if (answer.id !== question.id) return
      child.off('message', onMessage)
      if ('error' in answer) reject(new Error(answer.error))
      else resolve(answer.value as T)
    }
    child.on('message', onMessage)
    child.send(question)
  })
}
