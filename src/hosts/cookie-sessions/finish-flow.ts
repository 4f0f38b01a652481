import { flowStateNotFound } from '../../accounts/one-time-tokens/one-time-token-errors.ts'
import type { AuthErrorCode } from '../../platform/errors/auth-error.ts'
import type { CookieHost } from './cookie-host.ts'
import { openSession } from './open-session.ts'
import type { CookieRequest } from './own-origin.ts'
import { rejectionFor } from './rejection-for.ts'
import type { RequestSession } from './request-session.ts'

/** Where a browser continues after a flow. */
export interface FinishFlowOptions {
  /** A path of the application. The parameter `next` of the URL replaces it, if it is one, too. */
  to: string
  /** The path after a failure, which receives the parameter `error_code`. */
  failed: string
  /** The address of the socket's peer, for hosts whose request does not contain it. */
  ip?: string | undefined
}

/** A request of any host, with its URL or path. */
export type FlowRequest = CookieRequest & (HasUrl | { readonly req: HasUrl })

interface HasUrl {
  readonly url?: string | undefined
}

/** Finishes a flow at its redirect target: exchanges the code, and redirects the browser. */
export async function finishFlow(
  host: CookieHost,
  request: FlowRequest,
  { to, failed, ip }: FinishFlowOptions,
): Promise<Response> {
  const searchParams = queryOf(request)
  const afterError = (error: unknown): string => withError(failed, rejectionFor(host, error).code)
  let session: RequestSession
  try {
    session = await openSession(host, request, { ip })
  } catch (error) {
    return redirect(afterError(error))
  }
  const code = searchParams.get('code')
  const target =
    code === null
      ? withError(failed, codeIn(searchParams))
      : await session
          .exchangeCode(code, searchParams.get('sb_flow_id'))
          .then(() => ownPath(searchParams.get('next')) ?? to, afterError)
  const response = redirect(target)
  // A session that was renewed stays, also where the flow fails.
  session.addHeaders(response.headers)
  return response
}

function queryOf(request: FlowRequest): URLSearchParams {
  const { url = '' } = ('req' in request ? request.req : request) as HasUrl
  // A client may send a URL in place of a path. @see RFC 9112 §3.2.2
  return new URLSearchParams(URL.parse(url, 'http://localhost')?.search)
}

/** Each party can write a URL, so the text of an error is not passed on to the page. */
function codeIn(searchParams: URLSearchParams): string {
  const code = searchParams.get('error_code') ?? searchParams.get('error') ?? ''
  const unknown: AuthErrorCode = flowStateNotFound().code
  return /^\w{1,64}$/.test(code) ? code : unknown
}

function withError(path: string, code: string): string {
  const [beforeHash = '', hash] = path.split('#')
  const separator = beforeHash.includes('?') ? '&' : '?'
  return `${beforeHash}${separator}error_code=${code}${hash === undefined ? '' : `#${hash}`}`
}

const redirect = (target: string): Response =>
  new Response(null, {
    status: 303,
    headers: { location: encoded(target), 'cache-control': 'no-store' },
  })

/** Returns a URL or path with characters that a header can contain. Escapes stay as they are. */
const encoded = (target: string): string =>
  /^[!-~]*$/.test(target) ? target : encodeURI(target.toWellFormed()).replaceAll('%25', '%')

/** Characters that URL parsers skip or treat as a slash. */
const ambiguous = /[\\\p{Cc}]|^\/\s/u

/** Returns a path of this application from a URL, which any party can write; null for others. */
function ownPath(path: string | null): string | null {
  if (!path?.startsWith('/') || ambiguous.test(path)) return null
  const base = 'http://own.invalid'
  const url = URL.parse(path, base)
  const isOwn = url?.origin === base && !path.startsWith('//') && !url.pathname.startsWith('//')
  return isOwn ? path : null
}
