import { OAuth2Tokens } from 'arctic'
import type {
  JsonReader,
  ProviderClient,
  ProviderTokens,
} from '../../../platform/config/sections/provider-definition.ts'
import type { Clock } from '../../../platform/kit/clock.ts'
import { isFetchFailure } from '../../../platform/kit/fetch-failure.ts'
import { isError } from '../../../platform/kit/is-error.ts'
import { isRecord } from '../../../platform/kit/is-record.ts'
import type { UrlTrust } from '../../../platform/kit/url-trust.ts'
import { askForAnswer, type ProviderAccess } from './ask-provider.ts'
import { grantRefusal } from './provider-errors.ts'

interface Needs extends ProviderAccess {
  clock: Clock
}

/** What tokens are asked for with. @see RFC 6749 §4.1.3, §6 */
export type Grant =
  | { code: string; codeVerifier: string | null; redirectUri: string }
  /** @see RFC 6749 §6 */
  | { refreshToken: string }

export interface TokenEndpoint {
  url: string
  trust: UrlTrust
  clientAuthentication: 'basic' | 'body'
}

/**
 * Trades a grant for tokens at a provider. One that refuses the client in the header is asked again with the client in
 * the body, as many expect it there: to refuse a client spends no grant.
 *
 * @throws GrantRefusal when it refuses the grant; Error when it answers no tokens. Nothing of the answer is quoted.
 */
export async function redeemGrant(
  needs: Needs,
  client: ProviderClient,
  endpoint: TokenEndpoint,
  grant: Grant,
): Promise<ProviderTokens> {
  const inBody = () => askForTokens(needs, endpoint, bodyOf(client, grant, true), {})
  const answer =
    endpoint.clientAuthentication === 'body'
      ? await inBody()
      : await askForTokens(
          needs,
          endpoint,
          bodyOf(client, grant, false),
          basicCredentials(client),
        ).catch((error) => {
          if (isFetchFailure(error) || mayBeSpent(grant, error)) throw error
          return inBody()
        })
  return toTokens(needs, answer)
}

/**
 * A refresh token may be spent by a request that failed all the same: sent again, it would look stolen. One that was
 * refused together with the client is as good as before. @see RFC 9700 §4.14.2
 */
const mayBeSpent = (grant: Grant, error: unknown): boolean =>
  'refreshToken' in grant && !isClientRefusal(error)

/** A provider that refused something else than the grant. */
interface ClientRefusal extends Error {
  name: 'ClientRefusal'
}

const isClientRefusal = (error: unknown): error is ClientRefusal =>
  isError(error) && error.name === 'ClientRefusal'

function bodyOf(client: ProviderClient, grant: Grant, hasSecret: boolean): URLSearchParams {
  const body = new URLSearchParams()
  if ('code' in grant) {
    body.set('grant_type', 'authorization_code')
    body.set('code', grant.code)
    body.set('redirect_uri', grant.redirectUri)
    if (grant.codeVerifier !== null) body.set('code_verifier', grant.codeVerifier)
  } else {
    body.set('grant_type', 'refresh_token')
    body.set('refresh_token', grant.refreshToken)
  }
  if (hasSecret) {
    body.set('client_id', client.clientId)
    body.set('client_secret', client.clientSecret)
  }
  return body
}

/** Both parts are encoded as a form before they are joined. @see RFC 6749 §2.3.1 */
function basicCredentials({ clientId, clientSecret }: ProviderClient): Record<string, string> {
  const [user, password] = [clientId, clientSecret].map((part) =>
    new URLSearchParams({ '': part }).toString().slice(1),
  )
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

/** What is answered is kept until the person has been read. */
const maxTokenBytes = 64 * 1024

/** An error with status 200 is an error too. */
async function askForTokens(
  needs: Needs,
  { url, trust }: TokenEndpoint,
  body: URLSearchParams,
  headers: Record<string, string>,
): Promise<JsonReader> {
  const { status, answer } = await askForAnswer(needs, url, {
    trust,
    method: 'POST',
    maxBytes: maxTokenBytes,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  })
  const error = answer?.value('error')
  const isRefused = error ? status < 500 : [400, 401, 403].includes(status)
  if (isRefused && refusedGrants.includes(error)) throw grantRefusal()
  if (isRefused) {
    const message = `the provider answered ${status}, and no tokens`
    throw Object.assign(new Error(message), { name: 'ClientRefusal' as const })
  }
  if (!answer || status < 200 || status > 299) throw new Error(`the provider answered ${status}`)
  return answer
}

/** What providers call a grant that is not good any more: OAuth, GitHub, Slack. @see RFC 6749 §5.2 */
const refusedGrants: readonly unknown[] = [
  'invalid_grant',
  'bad_refresh_token',
  'invalid_refresh_token',
]

/** @throws Error without an access token. */
function toTokens({ clock }: Needs, answer: JsonReader): ProviderTokens {
  const data = answer.value()
  const tokens = new OAuth2Tokens(isRecord(data) ? data : {})
  const seconds = Number(answer.text('expires_in') ?? Number.NaN)
  const accessToken = tokens.accessToken()
  if (accessToken === '') throw new Error('the provider answered no access token')
  return {
    accessToken,
    refreshToken: answer.text('refresh_token'),
    idToken: answer.text('id_token'),
    // What would have expired before it came says nothing.
    expiresAt:
      seconds > 0 && Number.isFinite(seconds)
        ? new Date(clock.now().getTime() + Math.min(seconds, maxSeconds) * 1000)
        : null,
    answer,
  }
}

/** A century: what is longer is no date any more. */
const maxSeconds = 3_155_760_000
