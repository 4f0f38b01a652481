import { boolean, oneOf } from '../kinds/choices.ts'
import { integer, seconds } from '../kinds/numbers.ts'
import { text } from '../kinds/texts.ts'
import { live, offersLater, protectsLater } from '../setting.ts'

export const securitySettings = [
  live('security.refreshTokens.rotationEnabled', {
    env: 'SECURITY_REFRESH_TOKEN_ROTATION_ENABLED',
    kind: boolean,
    default: true,
    description: 'Ends the session when an old refresh token is used again; off only refuses it.',
  }),
  live('security.refreshTokens.reuseIntervalSeconds', {
    env: 'SECURITY_REFRESH_TOKEN_REUSE_INTERVAL',
    kind: seconds(),
    default: 10,
    description:
      'How long after its renewal the previous refresh token still answers with its successor.',
  }),
  live('security.passwordUpdate.requireReauthentication', {
    env: 'SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION',
    kind: boolean,
    default: false,
    description: 'Asks for a nonce from `/reauthenticate` with every change of password.',
  }),
  live('security.passwordUpdate.requireCurrentPassword', {
    env: 'SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD',
    kind: boolean,
    default: false,
    description:
      'Asks for the current password with a change of password, save in a session that a code or link opened.',
  }),
  live('security.ownDeletionEnabled', {
    env: 'SECURITY_OWN_DELETION_ENABLED',
    kind: boolean,
    default: false,
    description: 'Lets users erase themselves, with their password or a nonce: `docs/users.md`.',
  }),
  live('security.manualLinkingEnabled', {
    env: 'SECURITY_MANUAL_LINKING_ENABLED',
    kind: boolean,
    default: false,
    description: 'Lets users link and unlink identities themselves: `docs/providers.md`.',
  }),
  live('security.maxMetadataBytes', {
    env: 'SECURITY_MAX_METADATA_BYTES',
    kind: integer('bytes', { min: 1_024, max: 10_240 }),
    default: 4_096,
    description:
      'How much `user_metadata` may take as JSON, and `app_metadata` as well: both travel in each access token.',
  }),
  live('security.svcForwardedForEnabled', {
    env: 'SECURITY_SVC_FORWARDED_FOR_ENABLED',
    aliases: ['SECURITY_SB_FORWARDED_FOR_ENABLED'],
    kind: boolean,
    default: false,
    description:
      'Takes the address of the client from `Svc-Forwarded-For`; only behind a proxy that sets it.',
  }),
  protectsLater('security.captcha.enabled', {
    env: 'SECURITY_CAPTCHA_ENABLED',
    kind: boolean,
    default: false,
    description: 'Asks for a solved captcha where strangers may send requests.',
  }),
  offersLater('security.captcha.provider', {
    env: 'SECURITY_CAPTCHA_PROVIDER',
    kind: oneOf(['hcaptcha', 'turnstile']),
    default: 'hcaptcha',
    description: 'Who verifies captchas; any letter case.',
  }),
  offersLater('security.captcha.secret', {
    env: 'SECURITY_CAPTCHA_SECRET',
    kind: text,
    default: null,
    secret: true,
    description: 'Secret of the account at the captcha provider.',
  }),
  offersLater('security.captcha.timeoutSeconds', {
    env: 'SECURITY_CAPTCHA_TIMEOUT',
    kind: seconds({ min: 0.001, outside: 10 }),
    default: 10,
    description: 'How long the captcha provider may take.',
  }),
]
