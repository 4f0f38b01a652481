import type { H3Event } from 'h3'
import type { RequestedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { checkBody } from '../../platform/http/check-input.ts'
import type { Fields, Read } from '../../platform/http/inputs.ts'
import { readOtherParameters, readQuery } from '../../platform/http/read-request.ts'
import type { Endpoint } from './endpoint.ts'

/** The input of an endpoint, by the names that code has for its fields. */
export type InputOf<E extends Pick<Endpoint, 'query' | 'body'>> = (E extends {
  body: Fields<infer Kinds>
}
  ? Read<Kinds>
  : unknown) &
  (E extends { query: { redirectTo: unknown } } ? { redirect: RequestedRedirect } : unknown)

/**
 * Reads the fields of a body, and the target of a redirect where the endpoint accepts one. Nothing
 * but the JSON types of the fields is checked.
 *
 * @throws AuthError `bad_json`, `validation_failed` (400), naming the field.
 */
export function readInput<E extends Pick<Endpoint, 'query' | 'body'>>(
  event: H3Event,
  { query, body }: E,
  json: Record<string, unknown>,
): InputOf<E> {
  const read = body ? checkBody(json, body) : {}
  const redirect = query && 'redirectTo' in query ? { redirect: readRedirectTo(event) } : {}
  return { ...read, ...redirect } as InputOf<E>
}

/**
 * Returns the redirect target of a request, from the header `redirect_to`, else the parameter of
 * that name; and the referrer. Neither is validated yet.
 *
 * @throws AuthError `validation_failed` when the parameter is repeated.
 */
export function readRedirectTo(event: H3Event): RequestedRedirect {
  const parameter = readQuery(event, 'redirect_to')
  const { headers } = event.req
  return {
    target: headers.get('redirect_to') || parameter,
    referer: headers.get('referer') || undefined,
  }
}

/** Parameters that are not passed on to the provider. */
const own = [
  'provider',
  'scopes',
  'redirect_to',
  'invite_token',
  'skip_http_redirect',
  'apikey',
  'workos_provider',
]

/** Reads the query that starts a flow through a provider. */
export function readFlowStart(event: H3Event) {
  return {
    provider: readQuery(event, 'provider'),
    scopes: readQuery(event, 'scopes'),
    codeChallenge: readQuery(event, 'code_challenge'),
    codeChallengeMethod: readQuery(event, 'code_challenge_method'),
    inviteToken: readQuery(event, 'invite_token'),
    redirect: readRedirectTo(event),
    parameters: passedOn(event),
  }
}

/** Returns all other parameters, each once, which are passed on to the provider. */
function passedOn(event: H3Event): Record<string, string> {
  const parameters = readOtherParameters(event, (name) => !own.includes(name.toLowerCase()))
  const workos = readQuery(event, 'workos_provider')
  return { ...parameters, ...(workos !== undefined && { provider: workos }) }
}
