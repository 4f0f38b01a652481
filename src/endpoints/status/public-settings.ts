import type { Config } from '../../platform/config/config.ts'
import { isLive } from '../../platform/config/settings.ts'

/** The wire lists this provider only under its older name, `twitter`. */
const unlisted = 'x'

/**
 * Returns the settings that a sign-in page needs. A method that is enabled but not implemented is
 * reported as disabled.
 */
export function publicSettings(config: Config) {
  const external: Record<string, boolean> = {
    anonymous_users: config.anonymousUsers.enabled,
    email: config.email.enabled,
    phone: config.phone.enabled,
  }
  for (const [name, { enabled }] of Object.entries(config.providers)) {
    if (name !== unlisted) external[name] = enabled
  }
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
