import type { H3Event } from 'h3'
import { readRedirectTo } from './read-redirect-to.ts'
import { readQuery } from './read-request.ts'

/** What is for us, and goes no further. */
const ours = [
  'provider',
  'scopes',
  'redirect_to',
  'invite_token',
  'skip_http_redirect',
  'apikey',
  'workos_provider',
]

/** The query of somebody who leaves for a provider. */
export function readDeparture(event: H3Event) {
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

/** Whatever else the application asks for goes to the provider, each once. */
function passedOn(event: H3Event): Record<string, string> {
  const names = [...new Set(event.url.searchParams.keys())]
  const others = names.filter((name) => !ours.includes(name.toLowerCase()))
  const parameters = Object.fromEntries(others.map((name) => [name, readQuery(event, name) ?? '']))
  const workos = readQuery(event, 'workos_provider')
  return { ...parameters, ...(workos !== undefined && { provider: workos }) }
}
