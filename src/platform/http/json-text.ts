import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { H3Event } from 'h3'
import { Answer, jsonType } from './answer.ts'

/** The number of items that are serialized at once, in a few milliseconds. */
const itemsInOneGo = 100

/**
 * Serializes a JSON list, a few items at a time, so that other work of this thread can run in
 * between.
 */
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

/** Returns a response of serialized JSON. */
export const answerJsonText = ({ context }: H3Event, text: string): Answer =>
  new Answer(200, { ...context.answerHeaders, 'content-type': jsonType }, text)
