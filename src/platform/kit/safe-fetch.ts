import { once } from 'node:events'
import {
  type Agent,
  request as askHttp,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { request as askHttps } from 'node:https'
import { fetchFailure, isFetchFailure } from './fetch-failure.ts'
import { isError } from './is-error.ts'
import { checkedLookup, type ResolveName, requireUsableUrl, type UrlTrust } from './url-trust.ts'

export interface FetchOptions {
  trust: UrlTrust
  /** Default `GET`. */
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** For the whole exchange, from the name's resolution to the body's end. Default 5,000. */
  timeoutMs?: number
  /** Most that is read of a body. Default 1 MiB. */
  maxBytes?: number
  /** Returns the beginning of a longer body instead of failing. Default false. */
  truncate?: boolean
  /** How names become addresses. Default: as the system does it. */
  resolve?: ResolveName
  /** Keeps connections for the next request. Its connections must all be opened here, with the same trust. */
  agent?: Agent | undefined
}

/** What came back, whatever its status. A redirect is an answer like any other: none is followed. */
export interface FetchAnswer {
  status: number
  headers: Readonly<IncomingHttpHeaders>
  bytes: Buffer
  /** The bytes as UTF-8. */
  text: string
}

const defaultTimeoutMs = 5000
const defaultMaxBytes = 1024 * 1024

/**
 * Asks another server. All that leaves over HTTP goes through here, so that nobody can send us to a
 * place of their choice, and no server can keep us waiting or flood us.
 *
 * @throws FetchFailure when the URL may not be asked, or no answer comes that is small enough.
 */
export async function safeFetch(target: string, options: FetchOptions): Promise<FetchAnswer> {
  const url = requireUsableUrl(target, options.trust)
  const signal = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)
  try {
    const response = await exchange(url, options, signal)
    const bytes = await readBody(url, response, options)
    const { statusCode: status = 0, headers } = response
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
): Promise<IncomingMessage> {
  const { request, answered } = begin(url, options, signal)
  try {
    const [response] = await answered
    return response
  } catch (error) {
    if (!mayBeRepeated(request, error)) throw error
    return exchange(url, { ...options, agent: undefined }, signal)
  }
}

/** Whether a server closed a kept connection at the moment of a request that changes nothing there. */
const mayBeRepeated = ({ method, reusedSocket }: ClientRequest, error: unknown): boolean =>
  reusedSocket && method === 'GET' && isError(error) && Object(error).code === 'ECONNRESET'

function begin(
  url: URL,
  { trust, method = 'GET', headers, body, resolve, agent }: FetchOptions,
  signal: AbortSignal,
) {
  const ask = url.protocol === 'https:' ? askHttps : askHttp
  const request = ask(url, {
    method,
    // Unpacked, a small body could be a large one.
    headers: { 'user-agent': 'Latchkey', ...headers, 'accept-encoding': 'identity' },
    lookup: checkedLookup(url, trust, resolve),
    // Else a connection of its own: one from a shared pool may have been opened without our check.
    agent: agent ?? false,
    signal,
  })
  const answered = once(request, 'response')
  // What happens after the answer began, its reader learns; unheard here, it would end the process.
  request.on('error', () => {})
  // Node drops a connection that changes its protocol, and says so to nobody who waits for an answer.
  request.once('upgrade', (_response, socket) => {
    socket.destroy()
    request.emit('error', new Error('the server speaks another protocol'))
  })
  request.end(body)
  return { request, answered }
}

async function readBody(
  url: URL,
  response: IncomingMessage,
  { maxBytes = defaultMaxBytes, truncate = false }: FetchOptions,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    size += chunk.length
    if (size <= maxBytes) continue
    if (truncate) break
    throw fetchFailure('too-large', url.origin)
  }
  return Buffer.concat(chunks, Math.min(size, maxBytes))
}
