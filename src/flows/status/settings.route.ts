import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'

/** The wire lists this provider under its older name alone, `twitter`. */
const unlisted = 'x'

/** `GET /settings`: what a sign-in page needs to know, without authentication. */
export function settingsRoute(app: H3, { config }: Deps): void {
  const external: Record<string, boolean> = {
    anonymous_users: config.anonymousUsers.enabled,
    email: config.email.enabled,
    phone: config.phone.enabled,
  }
  for (const [name, { enabled }] of Object.entries(config.providers)) {
    if (name !== unlisted) external[name] = enabled
  }
  app.get('/settings', () => ({
    external,
    disable_signup: config.signUp.disabled,
    autoconfirm: config.email.autoconfirm,
    mailer_autoconfirm: config.email.autoconfirm,
    phone_autoconfirm: config.sms.autoconfirm,
    sms_provider: config.sms.provider ?? '',
    saml_enabled: config.saml.enabled,
    saml_private_key_next_configured: config.saml.privateKeyNext !== null,
    passkeys_enabled: config.passkeys.enabled,
  }))
}
