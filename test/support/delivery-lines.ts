import { type LineProxy, type Side, startLineProxy } from './line-proxy.ts'

/** A message between the parties of a delivery: `claim`, `RCPT`, `answer to RCPT`. */
export type WireEvent = string

/**
 * The connections of a server to its database and its mail server, with the traffic of the outbox.
 */
export interface DeliveryLines {
  database: LineProxy
  mail: LineProxy
  /** Returns the messages since a mail was stored, until it was settled. */
  heard(): WireEvent[]
  /** Listens for the next mail that is stored. */
  listen(listener?: WireListener): void
}

/** Decides whether a message is passed on, or the connection fails before or after it. */
export type WireListener = (event: WireEvent) => 'pass' | 'die before' | 'die after'

/** The names of statements, and a part of their text: one without a plan is sent without a name. */
const statements: Record<string, string> = {
  insert_user: 'with released_email as',
  settle_messages: 'm set status = r.status',
}
/** The statement that stores a mail, claimed by its server. */
const storing = 'answer to insert_user'

/** @param ports of the database and of the mail server, on 127.0.0.1. */
export async function openDeliveryLines(ports: {
  database: number
  mail: number
}): Promise<DeliveryLines> {
  let events: WireEvent[] = []
  let listener: WireListener = () => 'pass'
  let isStored = false
  let isDead = false

  const report = (event: WireEvent | null, pass: () => void): void => {
    if (isDead) return
    if (event === storing) isStored = true
    const fate = event && isStored && event !== storing ? fateOf(event) : 'pass'
    if (fate !== 'pass') isDead = true
    if (fate !== 'die before') pass()
  }
  const fateOf = (event: WireEvent) => {
    events.push(event)
    return listener(event)
  }
  const open = (port: number, openNaming: () => (side: Side, text: string) => WireEvent | null) =>
    startLineProxy(port, () => {
      const nameOf = openNaming()
      return (side, chunk, pass) => report(nameOf(side, chunk.toString('latin1')), pass)
    })

  return {
    database: await open(ports.database, nameStatements),
    mail: await open(ports.mail, nameCommands),
    heard: () => events,
    listen: (next = () => 'pass') => {
      events = []
      listener = next
      isStored = false
      isDead = false
    },
  }
}

/** Names the traffic of PostgreSQL by its statements. */
function nameStatements() {
  let requested: string | null = null
  return (side: Side, text: string): WireEvent | null => {
    if (side === 'client') {
      const sent = Object.entries(statements).find((one) => one.some((part) => text.includes(part)))
      requested = sent?.[0] ?? null
      return requested
    }
    const answered = requested
    requested = null
    return answered && `answer to ${answered}`
  }
}

/**
 * Names the traffic of a mail server by its commands. For a mail in several pieces, the last one is
 * named.
 */
function nameCommands() {
  let requested = 'connecting'
  let isMail = false
  let tail = ''
  return (side: Side, text: string): WireEvent | null => {
    if (side === 'server') {
      isMail = requested === 'DATA'
      return `answer to ${requested}`
    }
    tail = (tail + text).slice(-endOfMail.length)
    if (isMail && tail !== endOfMail) return null
    requested = isMail ? 'the end of the mail' : (text.split(/[\s:]/)[0] ?? '')
    return requested
  }
}

/** @see RFC 5321 §4.1.1.4 */
const endOfMail = '\r\n.\r\n'
