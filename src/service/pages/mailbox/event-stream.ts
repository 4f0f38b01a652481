import { ReadableStream, TextEncoderStream } from 'node:stream/web'
import type {
  DevelopmentMailbox,
  MailboxMessage,
} from '../../../delivery/outbox/development-mailbox.ts'
import { Answer } from '../../../platform/http/answer.ts'
import { privateHeaders } from '../page-answer.ts'
import { purposeOf, recipientOf } from './message-view.ts'

/** A server that stops waits for its answers to end, so none is endless. The browser comes back. */
const lifetimeMs = 15_000
const comeBackAfterMs = 200

/**
 * Tells a page of messages as they arrive, by Server-Sent Events.
 *
 * @param lastId the message that the page heard of last; null on its first visit. What it missed
 *   between two connections is told at once.
 */
export function streamArrivals(mailbox: DevelopmentMailbox, lastId: string | null): Answer {
  let leave = () => {}
  const body = new ReadableStream<string>({
    start: (controller) => {
      const end = () => {
        leave()
        controller.close()
      }
      const timer = setTimeout(end, lifetimeMs)
      const unsubscribe = mailbox.subscribe({
        arrived: (message) => controller.enqueue(eventOf(message)),
        closed: end,
      })
      leave = () => {
        clearTimeout(timer)
        unsubscribe()
      }
      controller.enqueue(`retry: ${comeBackAfterMs}\n\n${missed(mailbox, lastId)}`)
    },
    cancel: () => leave(),
  })
  // Kept for the next request, the connection would keep a server from stopping for seconds.
  const headers = { ...privateHeaders, 'content-type': 'text/event-stream', connection: 'close' }
  return new Answer(200, headers, body.pipeThrough(new TextEncoderStream()))
}

function missed(mailbox: DevelopmentMailbox, lastId: string | null): string {
  const [newest] = mailbox.list()
  // An id without data is remembered by the browser, and told to nobody.
  if (lastId === null) return `id: ${newest?.id ?? 'none'}\n\n`
  return newest && newest.id !== lastId ? eventOf(newest) : ''
}

const eventOf = (message: MailboxMessage): string =>
  `id: ${message.id}\ndata: ${oneLine(`New message for ${recipientOf(message)}: ${purposeOf(message)}`)}\n\n`

/** A line break would begin a field of the sender's choice. */
const oneLine = (text: string): string => text.replace(/[\r\n\0]+/g, ' ')
