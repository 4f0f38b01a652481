import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

/**
 * The self-signed certificate for `localhost`. Clients that add it to their authorities trust it.
 */
export const smtpCertificate = readPem('localhost.pem')

export interface SmtpServerOptions {
  /** `starttls` offers encryption, `implicit` uses TLS from the first byte. Default `none`. */
  tls?: 'none' | 'starttls' | 'implicit'
  /** The accepted credentials. Default: none required. */
  auth?: { user: string; pass: string }
  /** True if it accepts several commands at once. Default true. */
  pipelining?: boolean
  /** The delay of its response to a message. Default 0. */
  delayMs?: number
  behaviour?: SmtpBehaviour
}

/**
 * Faults by stage: a status, no response, or a closed connection; at `data`, in the middle of the
 * message.
 */
export type SmtpBehaviour = Partial<
  Record<'connect' | 'auth' | 'mail' | 'rcpt' | 'data', number | 'wait' | 'drop'>
>

/** A received mail. */
export interface ReceivedMail extends Email {
  envelope: { from: string; to: string[] }
  /** The name in the client's greeting. */
  clientName: string
  isEncrypted: boolean
  /** The authenticated user. */
  user: string | null
  raw: string
}

export interface SmtpTestServer {
  port: number
  /** All received mails, the oldest first. */
  mails: ReceivedMail[]
  /** The number of connections. */
  connections: number
  /** Faults, which may be changed at any time. */
  behaviour: SmtpBehaviour
  /** Waits for the oldest mail that was not returned yet, for a limited time. */
  nextMail(): Promise<ReceivedMail>
  /** Closes all connections silently. */
  hangUp(): void
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a mail server on a socket of 127.0.0.1, with the behaviour of the test. */
export async function startSmtpServer(options: SmtpServerOptions = {}): Promise<SmtpTestServer> {
  const state: State = { mails: [], connections: 0, behaviour: options.behaviour ?? {} }
  const server: SMTPServer = new SMTPServer({
    ...transportOf(options),
    ...handlersOf(options, state, {
      arrived: () => server.emit('mail'),
      connectionsOf: (id) => [...server.connections].filter(({ session }) => session.id === id),
    }),
  })
  // Some tests are about clients that reject the certificate, or close the connection.
  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')

  let handedOut = 0
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return Object.assign(state, {
    port: (listening.address() as AddressInfo).port,
    nextMail: async () => {
      const signal = AbortSignal.timeout(15_000)
      while (state.mails.length <= handedOut) await once(server, 'mail', { signal })
      return state.mails[handedOut++] as ReceivedMail
    },
    hangUp: () => hangUp([...server.connections]),
    close,
    [Symbol.asyncDispose]: close,
  })
}

type State = Pick<SmtpTestServer, 'mails' | 'connections' | 'behaviour'>

const transportOf = ({
  tls = 'none',
  auth,
  pipelining = true,
}: SmtpServerOptions): SMTPServerOptions => ({
  secure: tls === 'implicit',
  key: readPem('localhost.key.pem'),
  cert: smtpCertificate,
  authOptional: auth === undefined,
  allowInsecureAuth: true,
  disabledCommands: [
    ...(tls === 'starttls' ? [] : ['STARTTLS']),
    ...(auth === undefined ? ['AUTH'] : []),
  ],
  hidePIPELINING: !pipelining,
  disableReverseLookup: true,
  closeTimeout: 10,
  logger: false,
})

interface Wires {
  arrived(): void
  connectionsOf(sessionId: string): Connections
}

function handlersOf(
  { auth, delayMs = 0 }: SmtpServerOptions,
  state: State,
  { arrived, connectionsOf }: Wires,
): SMTPServerOptions {
  const stage = (name: keyof SmtpBehaviour, { id }: SMTPServerSession, done: Done): void => {
    const what = state.behaviour[name]
    if (what === 'wait') return
    if (what === 'drop') hangUp(connectionsOf(id))
    else if (what === undefined) done()
    else done(rejection(what))
  }
  return {
    onConnect: (session, done) => {
      state.connections++
      stage('connect', session, done)
    },
    onAuth: ({ username = '', password }, session, done) => {
      const isRight = username === auth?.user && password === auth?.pass
      const answer: Done = (error) => (error ? done(error) : done(null, { user: username }))
      if (isRight) stage('auth', session, answer)
      else done(rejection(535))
    },
    onMailFrom: (_address, session, done) => stage('mail', session, done),
    onRcptTo: (_address, session, done) => stage('rcpt', session, done),
    onData: async (stream, session, done) => {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of stream) {
          if (state.behaviour.data === 'drop') return hangUp(connectionsOf(session.id))
          chunks.push(chunk)
        }
      } catch {
        // The client closed the connection before the end of the mail.
        return
      }
      await delay(delayMs)
      if (state.behaviour.data !== undefined) return stage('data', session, done)
      state.mails.push(await received(Buffer.concat(chunks), session))
      arrived()
      return done(null, `queued as test-${state.mails.length}`)
    },
  }
}

type Connections = readonly { _socket: { destroy(): void } }[]

type Done = (error?: Error | null) => void

const rejection = (responseCode: number): Error =>
  Object.assign(new Error('5.7.1 not today, ada@example.com'), { responseCode })

/** Destroys all sockets, without a response. */
function hangUp(connections: Connections): void {
  for (const { _socket } of connections) _socket.destroy()
}

async function received(bytes: Buffer, session: SMTPServerSession): Promise<ReceivedMail> {
  const { mailFrom, rcptTo } = session.envelope
  return {
    ...(await PostalMime.parse(bytes)),
    envelope: {
      from: mailFrom === false ? '' : mailFrom.address,
      to: rcptTo.map(({ address }) => address),
    },
    clientName: session.hostNameAppearsAs,
    isEncrypted: session.secure,
    user: session.user === undefined ? null : String(session.user),
    raw: bytes.toString(),
  }
}

function readPem(name: string): string {
  return readFileSync(new URL(`certificate/${name}`, import.meta.url), 'utf8')
}
