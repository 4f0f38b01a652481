import { boolean, oneOf } from '../parsers/choices.ts'
import { verifyCaptcha } from '../parsers/code-only.ts'
import { list } from '../parsers/lists.ts'
import { fraction, integer, seconds } from '../parsers/numbers.ts'
import { domain, trimmedText } from '../parsers/texts.ts'
import { live } from '../setting.ts'

export const securitySettings = [
  live('security.refreshTokens.rotationEnabled', {
    env: 'SECURITY_REFRESH_TOKEN_ROTATION_ENABLED',
    parser: boolean,
    default: true,
    description:
      'Ends the session when an old refresh token is used again; if disabled, the request is only rejected.',
  }),
  live('security.refreshTokens.reuseIntervalSeconds', {
    env: 'SECURITY_REFRESH_TOKEN_REUSE_INTERVAL',
    parser: seconds(),
    default: 10,
    bounds: { unit: 'seconds', unusual: 60, ceiling: 60, source: 'RFC 9700 §4.14.2' },
    description:
      'How long after its renewal the previous refresh token still returns its successor.',
  }),
  live('security.passwordUpdate.requireReauthentication', {
    env: 'SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION',
    parser: boolean,
    default: false,
    description: 'Requires a nonce from `/reauthenticate` for every password change.',
  }),
  live('security.passwordUpdate.requireCurrentPassword', {
    env: 'SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD',
    parser: boolean,
    default: false,
    description:
      'Requires the current password for a password change. Exception: a session that a code or link has just opened, unless the address was added or replaced in the last day. A first password requires a recent sign-in.',
  }),
  live('security.recentProofSeconds', {
    env: 'SECURITY_RECENT_PROOF',
    parser: seconds(),
    default: 600,
    bounds: { unit: 'seconds', unusual: 7_200, ceiling: 86_400, source: 'OWASP ASVS 5.0 §7.5.1' },
    description:
      'Maximum age of the factor proof that is required to add or replace a credential of a user with a verified factor; 0 disables the check, except for users whom only a sign-in proves: `docs/factors.md`.',
  }),
  live('security.ownDeletionEnabled', {
    env: 'SECURITY_OWN_DELETION_ENABLED',
    parser: boolean,
    default: false,
    description:
      'Allows users to erase themselves, with their password or a nonce: `docs/users.md`.',
  }),
  live('security.manualLinkingEnabled', {
    env: 'SECURITY_MANUAL_LINKING_ENABLED',
    parser: boolean,
    default: false,
    description: 'Allows users to link and unlink identities: `docs/providers.md`.',
  }),
  live('security.maxMetadataBytes', {
    env: 'SECURITY_MAX_METADATA_BYTES',
    parser: integer('bytes', { min: 1_024, max: 10_240 }),
    default: 4_096,
    description:
      'Maximum size of `user_metadata` as JSON, and of `app_metadata`: both are part of each access token.',
  }),
  live('security.svcForwardedForEnabled', {
    env: 'SECURITY_SVC_FORWARDED_FOR_ENABLED',
    aliases: ['SECURITY_SB_FORWARDED_FOR_ENABLED'],
    parser: boolean,
    default: false,
    description:
      'Reads the address of the client from `Svc-Forwarded-For`; only behind a proxy that sets it.',
  }),
  live('security.captcha.enabled', {
    env: 'SECURITY_CAPTCHA_ENABLED',
    parser: boolean,
    default: false,
    defaultText: 'false; in code, true for configured captchas',
    onWhenNamed: true,
    description: 'Requires a solved captcha for requests without a session: `docs/captcha.md`.',
  }),
  live('security.captcha.provider', {
    env: 'SECURITY_CAPTCHA_PROVIDER',
    parser: oneOf(['hcaptcha', 'turnstile', 'recaptcha_v2', 'recaptcha_v3']),
    default: 'hcaptcha',
    description: 'Captcha provider; any letter case.',
  }),
  live('security.captcha.secret', {
    env: 'SECURITY_CAPTCHA_SECRET',
    parser: trimmedText,
    default: null,
    defaultText: 'required with captchas',
    secret: true,
    description: 'Secret of the account at the captcha provider.',
  }),
  live('security.captcha.hostnames', {
    env: 'SECURITY_CAPTCHA_HOSTNAMES',
    parser: list(domain),
    default: [],
    defaultText: 'any',
    description: 'Hosts of pages with accepted captchas, as the provider reports them.',
  }),
  live('security.captcha.actions', {
    env: 'SECURITY_CAPTCHA_ACTIONS',
    parser: list(),
    default: [],
    defaultText: 'any',
    description: 'Accepted actions of captchas, as `turnstile` and `recaptcha_v3` report them.',
  }),
  live('security.captcha.minScore', {
    env: 'SECURITY_CAPTCHA_MIN_SCORE',
    parser: fraction('score'),
    default: 0.5,
    description: 'Minimum score of `recaptcha_v3`, from 0 to 1.',
  }),
  live('security.captcha.timeoutSeconds', {
    env: 'SECURITY_CAPTCHA_TIMEOUT',
    parser: seconds({ min: 0.001, max: 600, outside: 10 }),
    default: 10,
    description: 'Time limit of requests to the captcha provider.',
  }),
  live('security.captcha.verify', {
    env: null,
    parser: verifyCaptcha,
    default: null,
    description: 'A function that verifies captchas in place of a provider.',
  }),
]
