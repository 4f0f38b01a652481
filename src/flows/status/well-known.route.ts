import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'

const maxAge = 'public, max-age=600'

/** `GET /.well-known/jwks.json`: the keys that access tokens verify with. @see RFC 7517 §5 */
export function jwksRoute(app: H3, { keys }: Deps): void {
  app.get('/.well-known/jwks.json', (event) => {
    event.res.headers.set('cache-control', maxAge)
    return { keys: keys.published() }
  })
}

/** `GET /.well-known/openid-configuration` @see OpenID Connect Discovery 1.0 §3 */
export function openidConfigurationRoute(app: H3, { config }: Deps): void {
  const issuer = config.jwt.issuer ?? config.externalUrl
  const base = issuer.replace(/\/+$/, '')
  app.get('/.well-known/openid-configuration', (event) => {
    event.res.headers.set('cache-control', maxAge)
    return {
      issuer,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      jwks_uri: `${base}/.well-known/jwks.json`,
      userinfo_endpoint: `${base}/oauth/userinfo`,
      scopes_supported: ['openid', 'profile', 'email', 'phone', 'offline_access'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'ES256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      claims_supported: [
        ...['sub', 'aud', 'iss', 'exp', 'iat', 'auth_time', 'nonce', 'email', 'email_verified'],
        ...['phone_number', 'phone_number_verified', 'name', 'picture', 'preferred_username'],
        'updated_at',
      ],
      code_challenge_methods_supported: ['S256', 'plain'],
    }
  })
}
