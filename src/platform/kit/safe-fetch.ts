import { once } from 'node:events'
import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { builtIn } from './built-in.ts'
import { connectTls } from './connect-tls.ts'
import { isError } from './is-error.ts'
import {
  checkedLookup,
  fetchFailure,
  isFetchFailure,
  type ResolveName,
  requireUsableUrl,
  type UrlTrust,
} from './url-trust.ts'

export interface FetchOptions {
  trust: UrlTrust
  /** Default `GET`. */
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /**
   * The time limit of the whole exchange, from the name's resolution to the body's end. Default
   * 5,000.
   */
  timeoutMs?: number
  /** The maximum size of a body. Default 1 MiB. */
  maxBytes?: number
  /** Returns the beginning of a longer body instead of failing. Default false. */
  truncate?: boolean
  /** Called with the status before the body is read. */
  onStatus?(status: number): void
  /** Resolves names. Default: the system's resolver; DNS only for a URL from outside. */
  resolve?: ResolveName
  /**
   * Keeps connections for further requests. All its connections must be opened here, with the same
   * trust.
   */
  agent?: Agent | undefined
}

/** A response of any status. Redirects are returned, not followed. */
export interface FetchAnswer {
  status: number
  headers: Readonly<IncomingHttpHeaders>
  bytes: Buffer
  /** The bytes as UTF-8. */
  text: string
}

const defaultTimeoutMs = 5000
const defaultMaxBytes = 1024 * 1024
/** The number of informational responses before a response. Each is parsed on the event loop. */
const maxInformational = 10
/** The number of bytes of a stream beside twice the received content: heads, and frames. */
const maxOverheadBytes = 256 * 1024
const streamCheckMs = 20

/**
 * Sends a request to another server. All outgoing HTTP uses this function, so that no client can
 * choose a private host, and no server can block or flood the process.
 *
 * @throws FetchFailure if the URL is not permitted, or no response is received within the limits.
 */
export async function safeFetch(target: string, options: FetchOptions): Promise<FetchAnswer> {
  const url = requireUsableUrl(target, options.trust)
  const signal = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)
  const content = { bytes: 0 }
  try {
    const response = await exchange(url, options, signal, content)
    const { statusCode: status = 0, headers } = response
    options.onStatus?.(status)
    const bytes = await readBody(url, response, options, content)
    return { status, headers, bytes, text: bytes.toString('utf8') }
  } catch (error) {
    if (isFetchFailure(error)) throw error
    throw fetchFailure(signal.aborted ? 'timed-out' : 'unreachable', url.origin, error)
  }
}

async function exchange(
  url: URL,
  options: FetchOptions,
  signal: AbortSignal,
  content: ReceivedContent,
): Promise<IncomingMessage> {
  const { request, answered } = begin(url, options, signal, content)
  try {
    const [response] = await answered
    return response
  } catch (error) {
    if (!mayBeRepeated(request, error)) throw error
    return exchange(url, { ...options, agent: undefined }, signal, content)
  }
}

/**
 * Reports whether a server closed a kept connection at the moment of a request without side
 * effects.
 */
const mayBeRepeated = ({ method, reusedSocket }: ClientRequest, error: unknown): boolean =>
  reusedSocket && method === 'GET' && isError(error) && Object(error).code === 'ECONNRESET'

function begin(
  url: URL,
  { trust, method = 'GET', headers, body, resolve, agent }: FetchOptions,
  signal: AbortSignal,
  content: ReceivedContent,
) {
  const isTls = url.protocol === 'https:'
  const ask = (isTls ? builtIn.https : builtIn.http).request
  const lookup = checkedLookup(url, trust, signal, resolve)
  const request = ask(url, {
    method,
    // A small compressed body could be a large one.
    headers: { 'user-agent': 'Latchkey', ...headers, 'accept-encoding': 'identity' },
    lookup,
    // Otherwise a separate connection: one from a shared pool may have been opened without the
    // check.
    ...(isTls && !agent && trust === 'outside'
      ? // Otherwise the port of http would be part of the header Host.
        { createConnection: () => connectTls(url, lookup), defaultPort: 443 }
      : { agent: agent ?? false }),
    signal,
  })
  const answered = once(request, 'response')
  // The reader of the response receives later errors. Without a listener here they would end the
  // process.
  request.on('error', () => {})
  // Node drops a connection that switches its protocol, and emits no error.
  request.once('upgrade', (_response, socket) => {
    socket.destroy()
    request.emit('error', new Error('the server switched to another protocol'))
  })
  let informational = 0
  request.on('information', () => {
    informational += 1
    // Further ones are in the same part of the stream.
    if (informational !== maxInformational + 1) return
    request.emit('error', new Error('the server sent too many informational responses'))
    request.destroy()
  })
  request.once('socket', (socket) => limitStream(request, socket, content))
  request.end(body)
  return { request, answered }
}

/** The content of a response that was received so far. */
interface ReceivedContent {
  bytes: number
}

/**
 * Ends a request whose response has many times more bytes than its content: chunks of one byte, with
 * extensions, or empty lines before the response are parsed on the event loop without end.
 */
function limitStream(request: ClientRequest, socket: Socket, content: ReceivedContent): void {
  const before = socket.bytesRead
  const timer = setInterval(() => {
    if (socket.bytesRead - before <= 2 * content.bytes + maxOverheadBytes) return
    stop()
    request.emit('error', new Error('the response has too many bytes beside its content'))
    request.destroy()
  }, streamCheckMs)
  timer.unref()
  const stop = () => clearInterval(timer)
  request.once('response', (response) => response.once('end', stop))
  request.once('close', stop)
}

async function readBody(
  url: URL,
  response: IncomingMessage,
  { maxBytes = defaultMaxBytes, truncate = false }: FetchOptions,
  content: ReceivedContent,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) {
    chunks.push(chunk)
    content.bytes += chunk.length
    if (content.bytes <= maxBytes) continue
    if (truncate) break
    throw fetchFailure('too-large', url.origin)
  }
  return Buffer.concat(chunks, Math.min(content.bytes, maxBytes))
}

/** A fetch function that keeps its connections for further requests, and closes them at the end. */
export interface KeptAliveFetch {
  fetch(url: string, options: FetchOptions): Promise<FetchAnswer>
  close(): void
}

/** Shorter than the time after which most servers close an idle connection. */
const maxIdleMs = 4_000

/**
 * Returns a `safeFetch` that keeps connections to hosts of the configuration. All of them were
 * opened with the check of that trust. A URL from outside gets a separate connection.
 *
 * @param width the number of kept connections, per host.
 */
export function openKeptAliveFetch(width: number): KeptAliveFetch {
  const options = { keepAlive: true, maxFreeSockets: width, timeout: maxIdleMs }
  const agents = new Map<'http' | 'https', Agent>()
  const agentFor = (url: string, { trust, resolve }: FetchOptions) => {
    if (trust !== 'operator' || resolve) return undefined
    const scheme = url.startsWith('https:') ? 'https' : 'http'
    const agent = agents.get(scheme) ?? new builtIn[scheme].Agent(options)
    agents.set(scheme, agent)
    return agent
  }
  return {
    fetch: (url, given) => safeFetch(url, { ...given, agent: agentFor(url, given) }),
    close: () => {
      for (const agent of agents.values()) agent.destroy()
    },
  }
}
