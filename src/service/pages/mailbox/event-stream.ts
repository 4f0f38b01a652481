import type {
  DevelopmentMailbox,
  MailboxMessage,
} from '../../../delivery/outbox/development-mailbox.ts'
import { Answer } from '../../../platform/http/answer.ts'
import { builtIn } from '../../../platform/kit/built-in.ts'
import { privateHeaders } from '../page-answer.ts'
import { purposeOf, recipientOf } from './message-view.ts'

/**
 * The time after which a response ends, because a server waits for its responses when it stops. The
 * browser connects again.
 */
const lifetimeMs = 15_000
const reconnectAfterMs = 200

/**
 * Reports messages to a page as they are received, by Server-Sent Events.
 *
 * @param lastId the last message that the page received; null on its first request. Later messages
 *   are sent at once.
 */
export function streamMessages(mailbox: DevelopmentMailbox, lastId: string | null): Answer {
  let leave = () => {}
  const { ReadableStream, TextEncoderStream } = builtIn.webStreams
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
      controller.enqueue(`retry: ${reconnectAfterMs}\n\n${missed(mailbox, lastId)}`)
    },
    cancel: () => leave(),
  })
  // A kept connection would delay the end of a server by seconds.
  const headers = { ...privateHeaders, 'content-type': 'text/event-stream', connection: 'close' }
  return new Answer(200, headers, body.pipeThrough(new TextEncoderStream()))
}

function missed(mailbox: DevelopmentMailbox, lastId: string | null): string {
  const [newest] = mailbox.list()
  // The browser stores an id without data, and fires no event.
  if (lastId === null) return `id: ${newest?.id ?? 'none'}\n\n`
  return newest && newest.id !== lastId ? eventOf(newest) : ''
}

const eventOf = (message: MailboxMessage): string =>
  `id: ${message.id}\ndata: ${oneLine(`New message for ${recipientOf(message)}: ${purposeOf(message)}`)}\n\n`

/** A line break would start a field that the sender chooses. */
const oneLine = (text: string): string => text.replace(/[\r\n\0]+/g, ' ')
