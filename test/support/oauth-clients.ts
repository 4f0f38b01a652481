import { createHash, generateKeyPairSync } from 'node:crypto'
import type { AuthConfig } from '../../src/index.ts'
import type { JsonWebKey } from '../../src/platform/config/sections/tokens.ts'
import type { Answer, TestAuth } from './test-auth.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const signingKey = {
  ...privateKey.export({ format: 'jwk' }),
  kid: 'oauth',
  alg: 'ES256',
  key_ops: ['sign', 'verify'],
} as JsonWebKey

/** A service that is an OAuth server, whose key is a key pair. */
export const asOauthServer: AuthConfig = {
  jwt: {
    keys: [signingKey],
    secret: 'a secret for tests of more than 32 bytes',
    issuer: 'https://auth.example.test',
  },
  externalUrl: 'https://auth.example.test',
  oauthServer: {
    enabled: true,
    allowDynamicRegistration: true,
    authorizationPath: '/oauth/consent',
  },
}

export const callback = 'https://client.example.test/cb'
export const verifier = 'a-code-verifier-of-more-than-forty-three-characters'
export const codeChallenge = createHash('sha256').update(verifier).digest('base64url')

/** A client as a test created it. */
export interface GivenClient {
  id: string
  secret: string | null
}

/** The steps of clients and their users, through the routes. */
export function oauthOf(auth: Pick<TestAuth, 'request' | 'get' | 'post' | 'given'>) {
  const form = (path: string, fields: Record<string, string | undefined>, client?: GivenClient) => {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined)
    const body = new URLSearchParams(given as [string, string][])
    if (client && client.secret === null) body.set('client_id', client.id)
    const basic = Buffer.from(`${client?.id}:${client?.secret}`).toString('base64')
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      ...(client && client.secret !== null && { authorization: `Basic ${basic}` }),
    }
    return auth.request('POST', path, { body: body.toString(), headers })
  }
  const client = async (metadata: Record<string, unknown> = {}): Promise<GivenClient> => {
    const answer = await auth.post(
      '/admin/oauth/clients',
      { redirect_uris: [callback], client_name: 'Notes', ...metadata },
      { token: await auth.given.serviceToken() },
    )
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
    return { id: answer.body.client_id, secret: answer.body.client_secret ?? null }
  }
  const authorize = (
    { id }: Pick<GivenClient, 'id'>,
    parameters: Record<string, string> = {},
  ): Promise<Answer> =>
    auth.get(
      `/oauth/authorize?${new URLSearchParams({
        client_id: id,
        redirect_uri: callback,
        response_type: 'code',
        state: 'st',
        scope: 'email',
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
        ...parameters,
      })}`,
    )
  const begin = async (by: GivenClient, parameters: Record<string, string> = {}) => {
    const { searchParams } = locationOf(await authorize(by, parameters))
    const id = searchParams.get('authorization_id')
    if (id === null) throw new Error(`the request was rejected: ${searchParams}`)
    return id
  }
  const open = (id: string, token: string, headers: Record<string, string> = {}) =>
    auth.get(`/oauth/authorizations/${id}`, { token, headers })
  const decide = (id: string, token: string, body: object = { action: 'approve' }) =>
    auth.post(`/oauth/authorizations/${id}/consent`, body, { token })
  const code = async (by: GivenClient, token: string, parameters: Record<string, string> = {}) => {
    const id = await begin(by, parameters)
    const opened = await open(id, token)
    const target = opened.body.redirect_url ?? (await decide(id, token)).body.redirect_url
    const { searchParams } = new URL(target)
    const found = searchParams.get('code')
    if (found === null) throw new Error(`there is no code: ${target}`)
    return found
  }
  const exchange = (by: GivenClient, given: string, fields: Record<string, string> = {}) =>
    form(
      '/oauth/token',
      {
        grant_type: 'authorization_code',
        code: given,
        redirect_uri: callback,
        code_verifier: verifier,
        ...fields,
      },
      by,
    )
  const refresh = (by: GivenClient, token: string, fields: Record<string, string> = {}) =>
    form('/oauth/token', { grant_type: 'refresh_token', refresh_token: token, ...fields }, by)
  const tokens = async (
    by: GivenClient,
    token: string,
    parameters: Record<string, string> = {},
  ) => {
    const answer = await exchange(by, await code(by, token, parameters))
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    return answer.body as {
      access_token: string
      refresh_token: string
      id_token?: string
      scope: string
      token_type: string
    }
  }
  return { form, client, authorize, begin, open, decide, code, exchange, refresh, tokens }
}

/** Returns the target of a redirect. */
export const locationOf = ({ headers, status, text }: Answer): URL => {
  const location = headers.get('location')
  if (location === null) throw new Error(`there is no redirect: ${status} ${text}`)
  return new URL(location)
}

/** Returns the claims of a token, which is not verified. */
export const claimsIn = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** Returns the header of a token. */
export const headerOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())

/** Inserts the rows of a client with access to a user. */
export async function givenOauthGrant(
  { rows, clock }: Pick<TestAuth, 'rows' | 'clock'>,
  userId: string,
): Promise<void> {
  const values = [userId, clock.now().toISOString()]
  await rows(
    `insert into auth.oauth_clients (id, client_type, registration_type, auth_method, redirect_uris,
        grant_types, post_logout_redirect_uris, backchannel_logout_session_required, created_at,
        updated_at)
      values (md5('client' || $1::text)::uuid::text, 'public', 'manual', 'none', '[]', '[]', '[]', false, $2, $2)`,
    values,
  )
  await rows(
    `insert into auth.oauth_consents (id, user_id, client_id, scopes, resources, granted_at)
      values (gen_random_uuid(), $1::uuid, md5('client' || $1::text)::uuid::text, '[]', '[]', $2)`,
    values,
  )
  await rows(
    `insert into auth.oauth_authorizations
        (id, client_id, user_id, status, request, created_at, expires_at)
      values (md5(random()::text), md5('client' || $1::text)::uuid::text, $1::uuid, 'pending', '{}', $2, $2)`,
    values,
  )
}
