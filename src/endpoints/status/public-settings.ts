import type { Config } from '../../platform/config/config.ts'
import { isLive } from '../../platform/config/settings.ts'

/** The wire lists this provider under its older name alone, `twitter`. */
const unlisted = 'x'

/**
 * What a sign-in page needs to know. What is switched on and not built yet is told as off: a page must not
 * offer what nothing answers.
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
