import type { H3EventContext } from 'h3'
import type { Deps } from '../../accounts/auth-context.ts'
import { type AuthErrorCode, authErrorCodes } from '../../platform/errors/auth-error.ts'
import type { Answer } from '../../platform/http/answer.ts'
import type { FieldKinds } from '../../platform/http/inputs.ts'
import type { ServiceRequest } from '../../platform/http/service-request.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import {
  type Attributes,
  countRejection,
  secondsSince,
} from '../../platform/observability/telemetry.ts'
import type { Endpoint } from './endpoint.ts'

declare module 'h3' {
  interface H3EventContext {
    /** The grant of a request to `/token`, if it is known. */
    grant?: string
  }
}

type AnswerTraced = (
  request: ServiceRequest,
  context: H3EventContext,
  answer: () => Promise<Answer>,
) => Promise<Answer>

/**
 * Any other method is recorded as `_OTHER`, because clients may send any text. @see RFC 9110 §9,
 * RFC 5789
 */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])

const knownCodes: ReadonlySet<string> = new Set(authErrorCodes)

/**
 * Returns the label of each path where the endpoints agree on one, by the path below the mount and
 * the grant: `/token password`.
 */
function signInMethodsOf(endpoints: readonly Endpoint[]): ReadonlyMap<string, string> {
  const byPath = Map.groupBy(endpoints, ({ path, query }) => {
    const { grantType } = (query ?? {}) as FieldKinds
    return [path, grantType?.jsonSchema['enum'] ?? []].flat().join(' ')
  })
  return new Map(
    [...byPath].flatMap(([path, same]) => {
      const [label, ...others] = new Set(same.map(({ signInMethod }) => signInMethod))
      return label === undefined || others.length > 0 ? [] : [[path, label]]
    }),
  )
}

/**
 * Returns the function that creates a span and metrics of each request. A span contains the route
 * and the values of its parameters, but neither address nor agent of the client; metrics contain
 * only the route.
 *
 * @see OpenTelemetry, "Semantic conventions for HTTP spans"
 */
export function traceRequests(
  { telemetry, config }: Pick<Deps, 'telemetry' | 'config'>,
  endpoints: readonly Endpoint[] = [],
): AnswerTraced {
  if (!telemetry) return (_request, _context, answer) => answer()
  const { hostname, port, protocol } = new URL(config.externalUrl)
  const scheme = protocol.slice(0, -1)
  const place = {
    'url.scheme': scheme,
    'server.address': hostname,
    'server.port': Number(port) || (scheme === 'http' ? 80 : 443),
  }

  const routeOf = routeReader()
  const figureOf = figureReader(scheme)
  const signInMethods = signInMethodsOf(endpoints)

  return (request, context, answerIt) => {
    const method = knownMethods.has(request.method) ? request.method : '_OTHER'
    const startedAt = context.startedAt ?? performance.now()
    const { headers } = request
    return telemetry.run({ name: method, kind: 'server', headers }, async (span) => {
      const answer = await answerIt()
      const { status } = answer
      const { grant, requestId } = context
      const route = routeOf(context)
      const code = codeOf(answer, context)
      const fault = status >= 500 ? (code ?? String(status)) : undefined

      const attributes: Record<string, string | number> = {
        'http.request.method': method,
        'http.method': method,
        ...place,
        'http.response.status_code': status,
      }
      if (code) attributes['auth.error_code'] = code
      if (requestId) attributes['auth.request_id'] = requestId
      if (grant) attributes['auth.grant_type'] = grant
      if (route) addRoute(attributes, route, context.params)
      span.set(attributes)
      if (route) span.rename(`${method} ${route}`)
      if (fault) span.fail(fault)

      const figure = figureOf({ method, status, route, fault })
      telemetry.time('http.server.request.duration', secondsSince(startedAt), figure)
      if (code) {
        const path = route?.slice(config.basePath.length)
        const what = grant ? `${path} ${grant}` : path
        countRejection(
          telemetry,
          `${method} ${what ?? ''}`.trim(),
          code,
          signInMethods.get(what ?? ''),
        )
      }
      return answer
    })
  }
}

/** Spells routes as `/auth/admin/users/{user_id}`; undefined for unmatched requests. */
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

interface Figure {
  method: string
  status: number
  route: string | undefined
  fault: string | undefined
}

/**
 * Returns a function from the properties of a request to its metric attributes. Equal properties
 * share one object, and there are few.
 */
function figureReader(scheme: string): (figure: Figure) => Attributes {
  const known = new Map<string, Attributes>()
  return ({ method, status, route, fault }) => {
    const key = `${method} ${status} ${route ?? ''} ${fault ?? ''}`
    let figure = known.get(key)
    if (!figure) {
      figure = {
        'http.request.method': method,
        'url.scheme': scheme,
        'http.response.status_code': status,
        ...(route && { 'http.route': route }),
        ...(fault && { 'error.type': fault }),
      }
      known.set(key, figure)
    }
    return figure
  }
}

/**
 * The route, its path, and the values of its parameters, in both spellings of their names. They are
 * ids: anything else is what a client took for one, such as an address.
 */
function addRoute(
  attributes: Record<string, string | number>,
  route: string,
  params: Record<string, string> = {},
): void {
  let path = route
  attributes['http.route'] = route
  for (const name in params) {
    const given = params[name] ?? ''
    const value = isUuid(given) ? given : '_OTHER'
    path = path.replace(`{${name}}`, () => value)
    attributes[`http.route.params.${name}`] = value
    attributes[`http.route.param.${name}`] = value
  }
  attributes['url.path'] = path
}

/** Returns the code of the error in the response, or in the URL of a redirect. */
function codeOf({ status, headers }: Answer, { errorCode }: H3EventContext): string | undefined {
  if (errorCode !== undefined || status < 300 || status > 399) return errorCode
  const [, stated = ''] = /[?#&]error_code=(\w+)/.exec(headers['location'] ?? '') ?? []
  return knownCodes.has(stated) ? (stated as AuthErrorCode) : undefined
}
