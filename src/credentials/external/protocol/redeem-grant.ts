import { OAuth2Tokens } from 'arctic'
import type {
  JsonReader,
  ProviderClient,
  ProviderTokens,
} from '../../../platform/config/sections/provider-definition.ts'
import type { Clock } from '../../../platform/kit/clock.ts'
import { isError } from '../../../platform/kit/is-error.ts'
import { isRecord } from '../../../platform/kit/is-record.ts'
import { isFetchFailure, type UrlTrust } from '../../../platform/kit/url-trust.ts'
import { grantRejection } from './provider-errors.ts'
import { type ProviderAccess, requestAnyStatus } from './request-provider.ts'

interface Needs extends ProviderAccess {
  clock: Clock
}

/** A credential that is exchanged for tokens. @see RFC 6749 §4.1.3, §6 */
export type RedeemableGrant =
  | { code: string; codeVerifier: string | null; redirectUri: string }
  /** @see RFC 6749 §6 */
  | { refreshToken: string }

export interface TokenEndpoint {
  url: string
  trust: UrlTrust
  clientAuthentication: 'basic' | 'body'
}

/**
 * Exchanges a grant for tokens at a provider. If it rejects the client's credentials in the header,
 * the request is repeated with them in the body, where many providers expect them: a rejected
 * client does not consume the grant.
 *
 * @throws GrantRejection when the provider rejects the grant; Error when it returns no tokens. The
 *   message does not quote the response.
 */
export async function redeemGrant(
  needs: Needs,
  client: ProviderClient,
  endpoint: TokenEndpoint,
  grant: RedeemableGrant,
): Promise<ProviderTokens> {
  const inBody = () => requestTokens(needs, endpoint, withSecret(bodyOf(grant), client), {})
  const answer =
    endpoint.clientAuthentication === 'body'
      ? await inBody()
      : await requestTokens(needs, endpoint, bodyOf(grant), basicCredentials(client)).catch(
          (error) => {
            if (isFetchFailure(error) || mayBeSpent(grant, error)) throw error
            return inBody()
          },
        )
  return toTokens(needs, answer)
}

/**
 * Returns whether a repetition could present a consumed grant. A failed request may have consumed a
 * refresh token, and the repetition would look like token theft. A refresh token that was rejected
 * together with the client is still valid. @see RFC 9700 §4.14.2
 */
const mayBeSpent = (grant: RedeemableGrant, error: unknown): boolean =>
  'refreshToken' in grant && !isClientRejection(error)

/** A rejection of a request for another reason than its grant. */
interface ClientRejection extends Error {
  name: 'ClientRefusal'
}

const isClientRejection = (error: unknown): error is ClientRejection =>
  isError(error) && error.name === 'ClientRefusal'

function bodyOf(grant: RedeemableGrant): URLSearchParams {
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
  return body
}

/** Adds the credentials of the client, which are then not in the header. */
function withSecret(
  body: URLSearchParams,
  { clientId, clientSecret }: ProviderClient,
): URLSearchParams {
  body.set('client_id', clientId)
  body.set('client_secret', clientSecret)
  return body
}

/** Encodes both parts as a form before it joins them. @see RFC 6749 §2.3.1 */
function basicCredentials({ clientId, clientSecret }: ProviderClient): Record<string, string> {
  const [user, password] = [clientId, clientSecret].map((part) =>
    new URLSearchParams({ '': part }).toString().slice(1),
  )
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

/** The maximum size of a token response, which is kept until the profile is read. */
const maxTokenBytes = 64 * 1024

/** An error with status 200 is an error, too. */
async function requestTokens(
  needs: Needs,
  { url, trust }: TokenEndpoint,
  body: URLSearchParams,
  headers: Record<string, string>,
): Promise<JsonReader> {
  const { status, answer } = await requestAnyStatus(needs, url, {
    trust,
    method: 'POST',
    maxBytes: maxTokenBytes,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  })
  const error = answer?.value('error')
  const isRefused = error ? status < 500 : [400, 401, 403].includes(status)
  if (isRefused && refusedGrants.includes(error)) throw grantRejection()
  if (isRefused) {
    const message = `the provider returned ${status} without tokens`
    throw Object.assign(new Error(message), { name: 'ClientRefusal' as const })
  }
  if (!answer || status < 200 || status > 299) throw new Error(`the provider returned ${status}`)
  return answer
}

/** The error codes for an invalid grant: of OAuth, GitHub, Slack. @see RFC 6749 §5.2 */
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
  if (accessToken === '') throw new Error('the provider returned no access token')
  return {
    accessToken,
    refreshToken: answer.text('refresh_token'),
    idToken: answer.text('id_token'),
    // An expiry that precedes the response is ignored.
    expiresAt:
      seconds > 0 && Number.isFinite(seconds)
        ? new Date(clock.now().getTime() + Math.min(seconds, maxSeconds) * 1000)
        : null,
    answer,
  }
}

/** A century. A longer lifetime exceeds the range of dates. */
const maxSeconds = 3_155_760_000
