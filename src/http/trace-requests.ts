import type { H3EventContext } from 'h3'
import type { Deps } from '../deps.ts'
import { type AuthErrorCode, authErrorCodes } from '../errors/auth-error.ts'
import { isUuid } from '../kit/uuid.ts'
import { type Attributes, countRefusal, secondsSince } from '../observability/telemetry.ts'
import type { Answer } from './answer.ts'

type AnswerTraced = (
  request: Request,
  context: H3EventContext,
  answer: () => Promise<Answer>,
) => Promise<Answer>

/** Anything else is told as `_OTHER`: a client writes what it likes. @see RFC 9110 §9, RFC 5789 */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])

const knownCodes: ReadonlySet<string> = new Set(authErrorCodes)

/** What is presented at each endpoint that opens or raises sessions, by its path below the mount. */
const signInMethods: Readonly<Record<string, string>> = {
  '/token password': 'password',
  '/token id_token': 'oauth',
  '/token web3': 'web3',
  '/token pkce': 'pkce',
  '/callback': 'oauth',
  '/verify': 'otp',
  '/factors/{factor_id}/verify': 'mfa',
  '/factors/recovery-codes/verify': 'mfa',
  '/trusted-devices/verify': 'trusted_device',
  '/passkeys/authentication/verify': 'passkey',
  '/passkeys/signup/verify': 'passkey',
}

/**
 * Makes a span and figures of each request. A span tells the route and the values of its parameters, and neither
 * address nor agent of the client; figures tell the route alone.
 *
 * @see OpenTelemetry, "Semantic conventions for HTTP spans"
 */
export function traceRequests({
  telemetry,
  config,
}: Pick<Deps, 'telemetry' | 'config'>): AnswerTraced {
  if (!telemetry) return (_request, _context, answer) => answer()
  const { hostname, port, protocol } = new URL(config.externalUrl)
  const scheme = protocol.slice(0, -1)
  const place = {
    'url.scheme': scheme,
    'server.address': hostname,
    'server.port': Number(port) || (scheme === 'http' ? 80 : 443),
  }

  const routeOf = routeReader()

  return (request, context, answerIt) => {
    const method = knownMethods.has(request.method) ? request.method : '_OTHER'
    const startedAt = context.startedAt ?? performance.now()
    const { headers } = request
    return telemetry.run({ name: method, kind: 'server', headers }, async (span) => {
      const answer = await answerIt()
      const route = routeOf(context)
      const code = codeOf(answer, context)
      const grant = route?.endsWith('/token') ? grantOf(request.url) : undefined
      const status = { 'http.response.status_code': answer.status }
      const told = {
        'http.request.method': method,
        ...place,
        ...status,
        ...(code && { 'auth.error_code': code }),
      }
      span.set({
        ...told,
        'http.method': method,
        ...(context.requestId && { 'auth.request_id': context.requestId }),
        ...(grant && { 'auth.grant_type': grant }),
        ...(route && parametersOf(route, context.params)),
      })
      if (route) span.rename(`${method} ${route}`)
      if (answer.status >= 500) span.fail(code ?? String(answer.status))
      telemetry.time('http.server.request.duration', secondsSince(startedAt), {
        'http.request.method': method,
        'url.scheme': scheme,
        ...status,
        ...(route && { 'http.route': route }),
        ...(answer.status >= 500 && { 'error.type': code ?? String(answer.status) }),
      })
      if (code) {
        const path = route?.slice(config.basePath.length)
        const what = grant ? `${path} ${grant}` : path
        countRefusal(telemetry, `${method} ${what ?? ''}`.trim(), code, signInMethods[what ?? ''])
      }
      return answer
    })
  }
}

/** Spells routes as `/auth/admin/users/{user_id}`; undefined where nothing is. */
function routeReader(): (context: H3EventContext) => string | undefined {
  const spelled = new Map<string, string>()
  return ({ matchedRoute }) => {
    const route = matchedRoute?.route
    if (route === undefined || route === '/**') return undefined
    const known = spelled.get(route)
    if (known !== undefined) return known
    const made = route.replaceAll(/:(\w+)/g, '{$1}')
    spelled.set(route, made)
    return made
  }
}

/**
 * The route, its path, and the values of its parameters, in both spellings of their names. They are ids: anything else is
 * what a client took for one, such as an address.
 */
function parametersOf(route: string, params: Record<string, string> = {}): Attributes {
  let path = route
  const attributes: Record<string, string> = { 'http.route': route }
  for (const [name, given] of Object.entries(params)) {
    const value = isUuid(given) ? given : '_OTHER'
    path = path.replace(`{${name}}`, () => value)
    attributes[`http.route.params.${name}`] = value
    attributes[`http.route.param.${name}`] = value
  }
  return { ...attributes, 'url.path': path }
}

/** The code of the error, told in the answer or in the URL that a browser is sent on to. */
function codeOf({ status, headers }: Answer, { errorCode }: H3EventContext): string | undefined {
  if (errorCode !== undefined || status < 300 || status > 399) return errorCode
  const [, told = ''] = /[?#&]error_code=(\w+)/.exec(headers['location'] ?? '') ?? []
  return knownCodes.has(told) ? (told as AuthErrorCode) : undefined
}

const grants = new Set(['password', 'refresh_token', 'pkce', 'id_token', 'web3'])

/** One that we know: a client writes what it likes. */
function grantOf(url: string): string | undefined {
  const [, grant = ''] = /[?&]grant_type=(\w+)/.exec(url) ?? []
  return grants.has(grant) ? grant : undefined
}
