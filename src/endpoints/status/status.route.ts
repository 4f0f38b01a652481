import type { Config } from '../../platform/config/config.ts'
import { providerNames } from '../../platform/config/provider-names.ts'
import { isLive } from '../../platform/config/settings.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { setAnswerHeaders } from '../../platform/http/answer-request.ts'
import { memoize } from '../../platform/kit/memoize.ts'
import { version } from '../../platform/kit/version.ts'
import { implementConstant, implementUnguarded } from '../http/implement.ts'
import { createReadinessCheck } from './check-readiness.ts'
import { healthEndpoint, jwksEndpoint, readyEndpoint, settingsEndpoint } from './status.endpoint.ts'

const health = {
  text: JSON.stringify({
    version,
    name: 'Latchkey',
    description: 'Latchkey is a user registration and authentication API',
  }),
}

/** Keys, and the documents that depend on them, may be cached. */
const cached = { 'cache-control': 'public, max-age=600' }

export const statusRoutes = [
  implementConstant(healthEndpoint, () => () => health),
  implementUnguarded(readyEndpoint, ({ deps }) => {
    const check = createReadinessCheck(deps)
    return async (event) => {
      setAnswerHeaders(event, { 'cache-control': 'no-store' })
      const missing = await check()
      if (missing !== null) throw serviceUnavailable(`Not ready: ${missing}`)
      const load = deps.database.load?.()
      const connections = load ? { open: load.used + load.idle, ceiling: load.ceiling } : null
      const workers = deps.workers?.() ?? null
      const replica = deps.database.replica?.state() ?? null
      return { database: 'ok', migrations: 'ok', keys: 'ok', connections, replica, workers }
    }
  }),
  implementConstant(settingsEndpoint, ({ deps }) => {
    const settings = { text: JSON.stringify(publicSettings(deps.config)) }
    return () => settings
  }),
  // RFC 7517 §5
  implementConstant(jwksEndpoint, ({ deps: { keys } }) => {
    const presented = memoize((published: object) => ({
      text: JSON.stringify({ keys: published }),
      headers: cached,
    }))
    return () => presented(keys.published())
  }),
] as const

/** The wire lists these providers only; it has `x` under its older name, `twitter`. */
const listedProviders = providerNames.filter(
  (name) => name !== 'x' && name !== 'vercel_marketplace',
)

/**
 * Returns the settings that a sign-in page needs. A method that is enabled but not implemented is
 * reported as disabled.
 */
function publicSettings(config: Config) {
  const external: Record<string, boolean> = {
    anonymous_users: config.anonymousUsers.enabled,
    email: config.email.enabled,
    phone: config.phone.enabled,
  }
  for (const name of listedProviders) external[name] = config.providers[name].enabled
  const { saml, passkeys } = config
  return {
    external,
    disable_signup: config.signUp.disabled,
    autoconfirm: config.email.autoconfirm,
    mailer_autoconfirm: config.email.autoconfirm,
    phone_autoconfirm: config.sms.autoconfirm,
    sms_provider: config.sms.provider ?? '',
    saml_enabled: saml.enabled && isLive('saml.enabled'),
    saml_private_key_next_configured: saml.privateKeyNext !== null && isLive('saml.privateKeyNext'),
    passkeys_enabled: passkeys.enabled,
  }
}
