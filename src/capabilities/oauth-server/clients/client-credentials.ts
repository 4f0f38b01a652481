import type { H3Event } from 'h3'
import { isStorable } from '../../../platform/kit/storable-text.ts'
import type { Queryable } from '../../../platform/sql/queryable.ts'
import { type Placeholders, statement } from '../../../platform/sql/statement.ts'
import type { TableFragments } from '../../../platform/sql/tables.ts'
import { invalidRequest, oauthError } from '../protocol/oauth-errors.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import { hashOfSecret } from './manage-clients.ts'
import type { OauthAuthMethod } from './oauth-client.ts'

/** The client that a request states, and the proof of it. */
export interface ClientCredentials {
  clientId: string
  method: OauthAuthMethod
  /** The secrets that may be meant; only `private_key_jwt` and `none` have none. */
  secrets: readonly string[]
}

/**
 * Reads the client of a request and its secret. Nothing is verified.
 *
 * @throws AuthError `invalid_client` without a client, `invalid_request` for two methods at once.
 * @see RFC 6749 §2.3
 */
export function readCredentials(event: H3Event, parameters: OauthParameters): ClientCredentials {
  const basic = readBasic(event)
  const [bodyId, secret] = [parameters('client_id'), parameters('client_secret')]
  if (!basic) {
    if (bodyId === undefined) throw noClient()
    const method = secret === undefined ? 'none' : 'client_secret_post'
    return { clientId: bodyId, method, secrets: secret === undefined ? [] : [secret] }
  }
  if (secret !== undefined) throw invalidRequest('only one authentication method may be used')
  if (bodyId !== undefined && bodyId !== basic.clientId) {
    throw invalidRequest('client_id differs from that of the Authorization header')
  }
  return { ...basic, method: 'client_secret_basic' }
}

/** Returns whether a request authenticates by the header of HTTP Basic. */
const usesBasic = ({ req }: H3Event): boolean =>
  /^basic\b/i.test(req.headers.get('authorization') ?? '')

const noClient = () => oauthError('invalid_client', 'Invalid client credentials: no client_id', 400)

/** The error of a client that does not exist, or did not authenticate as registered. */
export const invalidClient = (event: H3Event) =>
  oauthError('invalid_client', 'Invalid client credentials', usesBasic(event) ? 401 : 400)

function readBasic(event: H3Event): { clientId: string; secrets: string[] } | null {
  if (!usesBasic(event)) return null
  const encoded = (event.req.headers.get('authorization') ?? '').slice('basic'.length).trim()
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const end = text.indexOf(':')
  if (end < 1) throw oauthError('invalid_client', 'Invalid client credentials', 401)
  const [clientId, secret] = [decoded(text.slice(0, end)), text.slice(end + 1)]
  if (!isStorable(clientId)) throw oauthError('invalid_client', 'Invalid client credentials', 401)
  // Encoded as RFC 6749 §2.3.1 requires, or as it is.
  return { clientId, secrets: [...new Set([secret, decoded(secret)])] }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** The client of a request, as a group of parameters. */
export type ClientValues = {
  clientId: string
  method: string
  /** An array of hashes, in PostgreSQL's notation. */
  secretHashes: string
  grant: string
  now: string
}

/** The grant in requests about a token: those of every grant are revoked and described alike. */
export const anyGrant = 'refresh_token'

export const clientValues = (
  { clientId, method, secrets }: ClientCredentials,
  grant: string,
  now: Date,
): ClientValues => ({
  clientId,
  method,
  secretHashes: `{${secrets.map(hashOfSecret).join()}}`,
  grant,
  now: now.toISOString(),
})

/** The client of a request, as a statement found it. */
export interface PresentedClient {
  id: string | null
  /** Whether its secret is right, and the method the registered one. */
  is_authenticated: boolean
  /** Whether it may use the grant. */
  has_grant: boolean
  grant_types: string[] | null
}

/**
 * Returns the common table expression `client` with one row: the client of the request. Secrets are
 * random, so their hashes need no comparison in constant time.
 */
export const presentedClient = (sql: TableFragments, $: Placeholders<ClientValues>): string =>
  `client as materialized (
      select c.id, c.grant_types,
        coalesce(c.auth_method = ${$.method} and case
          when c.auth_method in ('client_secret_basic', 'client_secret_post')
          then c.secret_hash = any(${$.secretHashes}::text[]) else true end, false) as is_authenticated,
        coalesce(c.grant_types ? ${$.grant}, false) as has_grant
      from (select 1) one left join ${sql.table('oauth_clients')} c
        on c.id = ${$.clientId} and (c.expires_at is null or c.expires_at > ${$.now})
    )`

const find = statement<ClientValues, { client: PresentedClient }>(
  'find_presented_oauth_client',
  (sql, $) => `with ${presentedClient(sql, $)} select row_to_json(client) as client from client`,
)

/** Returns the client of a request, for a request that needs no further statement. */
export async function findPresentedClient(
  sql: Queryable,
  values: ClientValues,
): Promise<PresentedClient> {
  const [row] = await sql.query(find, values)
  if (!row) throw new Error('the look-up of a client returned no row')
  return row.client
}

/**
 * Rejects a client that did not authenticate, or may not use the grant.
 *
 * @throws AuthError `invalid_client` (400 or 401), `unauthorized_client` (400).
 */
export function requireClient(event: H3Event, client: PresentedClient): void {
  if (!client.is_authenticated) throw invalidClient(event)
  if (!client.has_grant) {
    throw oauthError('unauthorized_client', 'The client may not use this grant')
  }
}
