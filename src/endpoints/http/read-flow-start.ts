import type { H3Event } from 'h3'
import { readQuery } from '../../platform/http/read-request.ts'
import { readRedirectTo } from './read-redirect-to.ts'

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
  const names = [...new Set(event.url.searchParams.keys())]
  const others = names.filter((name) => !own.includes(name.toLowerCase()))
  const parameters = Object.fromEntries(others.map((name) => [name, readQuery(event, name) ?? '']))
  const workos = readQuery(event, 'workos_provider')
  return { ...parameters, ...(workos !== undefined && { provider: workos }) }
}
