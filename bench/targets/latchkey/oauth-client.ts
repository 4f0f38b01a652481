import { encodeRefreshToken } from '../../../src/accounts/sessions/refresh-token.ts'
import { md5, secret, sessionIdOf } from '../../kit/people.ts'
import type { Target } from '../target.ts'
import { latchkey } from './target.ts'

const clientId = '8b8b1f9e-6f0c-4a55-9d3c-2a6b5f0e7c11'
const clientSecret = 'the secret of a client of the bench'
const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')

/** The session of the client beside the ordinary one of user `n`. */
const clientSessionOf = (n: number): string =>
  md5(`client ${sessionIdOf(n)}`).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Inserts the client, and a session of it beside each ordinary one. */
export const clientRows: readonly string[] = [
  `insert into auth.oauth_clients (id, client_type, registration_type, auth_method, secret_hash,
      redirect_uris, grant_types, post_logout_redirect_uris, backchannel_logout_session_required,
      created_at, updated_at)
    values ('${clientId}', 'confidential', 'manual', 'client_secret_basic',
      encode(sha256('${clientSecret}'), 'hex'), '["https://client.bench.test/cb"]',
      '["authorization_code", "refresh_token"]', '[]', false, now(), now())`,
  `insert into auth.sessions
    select (jsonb_populate_record(s, jsonb_build_object('id', md5('client ' || s.id)::uuid,
      'oauth_client_id', '${clientId}', 'scopes', 'email profile'))).* from auth.sessions s`,
]

/** Latchkey's server, whose sessions belong to an OAuth client. */
export const oauthClient: Target = {
  ...latchkey,
  name: 'OAuth client',
  asks: {
    refresh: (n, times) => ({
      method: 'POST',
      path: '/oauth/token',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: encodeRefreshToken(
          { current: secret, all: [secret] },
          { sessionId: clientSessionOf(n), counter: times },
        ),
      }),
    }),
  },
}
