import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { serviceUnavailable } from '../../errors/request-errors.ts'
import { setAnswerHeaders } from '../../http/answer-request.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { version } from '../../kit/version.ts'
import { createReadinessCheck } from './check-readiness.ts'
import { publicSettings } from './public-settings.ts'
import {
  healthEndpoint,
  jwksEndpoint,
  openidConfigurationEndpoint,
  readyEndpoint,
  settingsEndpoint,
} from './status.endpoint.ts'

/** `GET /health`: whether the service answers. The database is not asked. */
export function healthRoute(app: H3): void {
  serveEndpoint(app, healthEndpoint, () => ({
    version,
    name: 'Latchkey',
    description: 'Latchkey is a user registration and authentication API',
  }))
}

/** `GET /ready`: whether requests can be served, and otherwise which part is not there. */
export function readyRoute(app: H3, deps: Deps): void {
  const check = createReadinessCheck(deps)
  serveEndpoint(app, readyEndpoint, async (event) => {
    setAnswerHeaders(event, { 'cache-control': 'no-store' })
    const missing = await check()
    if (missing !== null) throw serviceUnavailable(`Not ready: ${missing}`)
    return { database: 'ok', migrations: 'ok', keys: 'ok' }
  })
}

/** `GET /settings`: what a sign-in page needs to know, without authentication. */
export function settingsRoute(app: H3, { config }: Deps): void {
  const settings = publicSettings(config)
  serveEndpoint(app, settingsEndpoint, () => settings)
}

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
