import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { setAnswerHeaders } from '../../http/answer-headers.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { jwksEndpoint, openidConfigurationEndpoint } from './status.endpoint.ts'

const maxAge = 'public, max-age=600'

/** `GET /.well-known/jwks.json`: the keys that access tokens verify with. @see RFC 7517 §5 */
export function jwksRoute(app: H3, { keys }: Deps): void {
  serveEndpoint(app, jwksEndpoint, (event) => {
    setAnswerHeaders(event, { 'cache-control': maxAge })
    return { keys: keys.published() }
  })
}

/**
 * `GET /.well-known/openid-configuration`: who issues access tokens, and what verifies them. It names no
 * endpoint of an OAuth server before there is one.
 *
 * @see OpenID Connect Discovery 1.0 §3
 */
export function openidConfigurationRoute(app: H3, { config, keys }: Deps): void {
  const issuer = config.jwt.issuer ?? config.externalUrl
  const base = issuer.replace(/\/+$/, '')
  serveEndpoint(app, openidConfigurationEndpoint, (event) => {
    setAnswerHeaders(event, { 'cache-control': maxAge })
    return {
      issuer,
      jwks_uri: `${base}/.well-known/jwks.json`,
      response_types_supported: [],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...new Set(keys.published().map(({ alg }) => alg))],
    }
  })
}
