import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { H3Event } from 'h3'
import { Answer } from './answer.ts'

/** How many items are written in one go: a few milliseconds of them. */
const itemsInOneGo = 100

/** A JSON list, written a few items at a time: whoever waits for this thread gets a turn in between. */
export async function jsonList<Item>(
  items: readonly Item[],
  present: (item: Item) => unknown,
): Promise<string> {
  const parts: string[] = []
  for (let at = 0; at < items.length; at += itemsInOneGo) {
    if (at > 0) await letOthersRun()
    const slice = items.slice(at, at + itemsInOneGo).map(present)
    parts.push(JSON.stringify(slice).slice(1, -1))
  }
  return `[${parts.join()}]`
}

/** Answers with JSON that is written already. */
export const answerJsonText = ({ context }: H3Event, text: string): Answer =>
  new Answer(
    200,
    { ...context.answerHeaders, 'content-type': 'application/json;charset=UTF-8' },
    text,
  )
