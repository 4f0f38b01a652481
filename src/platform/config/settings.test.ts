import { describe, expect, expectTypeOf, it } from 'vitest'
import type { HostLogger, Logger } from '../observability/logger.ts'
import type { AuthConfig } from './config.ts'
import { namesOf } from './environment-names.ts'
import type { ProviderName } from './provider-names.ts'
import type { ProviderDefinition } from './sections/provider-definition.ts'
import type {
  AppleProviderConfig,
  ProviderConfig,
  WorkosProviderConfig,
} from './sections/providers.ts'
import type { CacheStorage } from './sections/values.ts'
import type { ConfigPath, Setting } from './setting.ts'
import { unsupportedSettings } from './settings/unsupported.ts'
import { type SettingPath, type settingGroups, settings } from './settings.ts'

/** A section of AuthConfig without its short forms; never when it is a value. */
type Section<Value> = Exclude<
  Value,
  | undefined
  | string
  | number
  | boolean
  | readonly unknown[]
  | Date
  | HostLogger
  | Logger
  | ProviderDefinition
  | CacheStorage
  | ((...given: never[]) => unknown)
>

/**
 * AuthConfig without the application's own providers, which have the same settings under any name.
 */
type KnownConfig = Omit<AuthConfig, 'providers'> & {
  providers?: { [name in Exclude<ProviderName, 'apple' | 'workos'>]?: ProviderConfig } & {
    apple?: AppleProviderConfig
    workos?: WorkosProviderConfig
  }
}

/** The dotted paths of all members of AuthConfig. */
type GivenPath<Tree> = {
  [Key in keyof Tree & string]-?: [Section<Tree[Key]>] extends [never]
    ? Key
    : string extends keyof Section<Tree[Key]>
      ? Key
      : `${Key}.${GivenPath<Section<Tree[Key]>>}`
}[keyof Tree & string]

type GivenAt<Tree, Path extends string> = Path extends `${infer Key}.${infer Rest}`
  ? Key extends keyof Tree
    ? GivenAt<Section<Tree[Key]>, Rest>
    : never
  : Path extends keyof Tree
    ? Exclude<Tree[Path], undefined>
    : never

/** The path of a setting in code, for its resolved path. */
type AsGiven<Path extends string> = Path extends 'encryptionKeys'
  ? 'encryptionKey'
  : Path extends 'jwt.secrets'
    ? 'jwt.secret'
    : Path extends `providers.${infer Name}.clientIds`
      ? `providers.${Name}.clientId`
      : Path

type AnySetting = (typeof settingGroups)[number]['settings'][number]

/** A function replaces the whole section of a hook. */
type PlainPath = Exclude<SettingPath, `hooks.${string}.run`>

/** The paths whose type in the environment differs from the one in code. */
type Mismatch<One> =
  One extends Setting<infer Path, infer Given>
    ? Path extends PlainPath
      ? [Given, GivenAt<KnownConfig, AsGiven<Path>>] extends [
          GivenAt<KnownConfig, AsGiven<Path>>,
          Given,
        ]
        ? never
        : Path
      : never
    : never

describe('the table of settings', () => {
  it('contains all of Config, each path with its type', () => {
    // The types of values are checked where each setting is defined, by `live` and the like.
    expectTypeOf<SettingPath>().toEqualTypeOf<ConfigPath>()
  })

  it('agrees with AuthConfig in every path and type', () => {
    expectTypeOf<AsGiven<PlainPath>>().toEqualTypeOf<GivenPath<KnownConfig>>()
    expectTypeOf<Mismatch<AnySetting>>().toBeNever()
  })

  it('names each setting once', () => {
    expect(repeated(settings.map(({ path }) => path))).toEqual([])
    expect(repeated(settings.map(({ resolvedPath }) => resolvedPath))).toEqual([])
    expect(repeated([...settings.flatMap(namesOf), ...unsupportedNames])).toEqual([])
  })

  it('spells names as an environment does, and describes each setting in one sentence', () => {
    for (const setting of settings) {
      for (const name of namesOf(setting)) expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/)
      expect(setting.description, setting.path).toMatch(/^[A-Z`].*[^.]\.$/)
    }
  })

  it('contains every name of the specification, and other common ones', () => {
    const known = new Set([...settings.flatMap(namesOf), ...unsupportedNames])
    const missing = specifiedNames.filter((name) => !known.has(`AUTH_${name}`))
    expect(missing).toEqual([])
  })

  it("reads a few names without a prefix, and never the URL of the database from GoTrue's", () => {
    const bare = settings.flatMap(namesOf).filter((name) => !/^(AUTH|GOTRUE|OTEL)_/.test(name))
    expect(bare.sort()).toEqual(['API_EXTERNAL_URL', 'DATABASE_URL', 'LOG_LEVEL', 'PORT', 'RP_ID'])
    expect(namesOf(settingAt('database.url'))).toEqual([
      'AUTH_DATABASE_URL',
      'AUTH_DB_DATABASE_URL',
      'DATABASE_URL',
    ])
    expect(namesOf(settingAt('database.schema'))).toContain('GOTRUE_DB_NAMESPACE')
    expect(namesOf(settingAt('database.namespace'))).toEqual(['AUTH_DB_NAMESPACE'])
  })

  it('has a default that its own kind accepts, if the default is a value', () => {
    const resolvedOnly = (value: unknown) =>
      value === null || value === '' || typeof value === 'object'
    for (const { parser: kind, default: value, path } of settings) {
      if (!resolvedOnly(value)) expect(kind.check(value), path).toEqual({ value })
    }
  })

  it('has the specified subjects of mails, and one further', () => {
    const subjects = settings.filter(({ path }) => path.startsWith('email.subjects.'))
    expect(subjects.map(({ default: subject }) => subject)).toEqual([
      "You've been invited",
      'Confirm your email address',
      'Reset your password',
      'Your sign-in link',
      'Confirm your new email address',
      'Confirm a sign-in method',
      '{{ .Token }} is your verification code',
      '{{ .Token }} is your security code',
      'Your password was changed',
      'Your email address was changed',
      'Your phone number was changed',
      'A new sign-in method was linked to your account.',
      'A sign-in method was removed from your account.',
      'A new verification method was added to your account.',
      'A verification method was removed from your account.',
      'A recovery code was used to sign in to your account.',
      // Not part of the specification.
      'A trusted device was added to your account.',
    ])
  })

  it('marks credentials as secret (S76)', () => {
    const secrets = settings.filter(({ secret }) => secret).map(({ path }) => path)
    expect(secrets.filter((path) => !/^(providers|hooks)\./.test(path))).toEqual([
      'database.url',
      'database.listenUrl',
      'database.replicaUrl',
      'encryptionKey',
      'jwt.secret',
      'jwt.keys',
      'security.captcha.secret',
      'email.smtp.pass',
      'email.smtp.headers',
      'email.validation.serviceHeaders',
      'sms.testOtp',
      'sms.twilio.authToken',
      'sms.twilioVerify.authToken',
      'sms.messagebird.accessKey',
      'sms.textlocal.apiKey',
      'sms.vonage.apiSecret',
      'saml.privateKey',
      'saml.privateKeyNext',
      'rateLimits.redisUrl',
      'telemetry.otlp.headers',
    ])
    expect(secrets).toContain('providers.github.clientSecret')
    expect(secrets).toContain('hooks.sendEmail.secrets')
  })
})

function settingAt(path: string): Setting {
  const setting = settings.find((one) => one.path === path)
  if (!setting) throw new Error(`no setting at ${path}`)
  return setting
}

describe('the replacement of a former or deprecated setting', () => {
  it('is a name that has an effect', () => {
    const advised = unsupportedSettings.flatMap(
      ({ description }) => description.match(/AUTH_[A-Z_<>]+/g) ?? [],
    )
    const names = settings.flatMap((setting) => [
      ...namesOf(setting),
      `AUTH_${setting.family?.env ?? ''}`,
    ])
    expect(advised.filter((name) => !names.includes(name))).toEqual([])
    expect(
      settings.map(({ deprecatedFor }) => deprecatedFor).filter((path) => path !== null),
    ).toEqual(['externalSignIn.linkingDomains'])
  })
})

const unsupportedNames = unsupportedSettings.map(({ env }) => `AUTH_${env}`)

const repeated = (names: readonly string[]) =>
  names.filter((name, index) => names.indexOf(name) !== index)

const words = (text: string) => text.trim().split(/\s+/)

const specifiedProviders = words(`
  apple azure bitbucket discord facebook figma github gitlab google keycloak linkedin notion snapchat
  spotify slack twitch twitter workos linkedin_oidc slack_oidc kakao zoom fly x`)

const specifiedMails = words(
  'INVITE CONFIRMATION RECOVERY MAGIC_LINK EMAIL_CHANGE REAUTHENTICATION',
)

const specifiedNotifications = words(`
  PASSWORD_CHANGED EMAIL_CHANGED PHONE_CHANGED IDENTITY_LINKED IDENTITY_UNLINKED MFA_FACTOR_ENROLLED
  MFA_FACTOR_UNENROLLED`)

const specifiedHooks = words(`
  MFA_VERIFICATION_ATTEMPT PASSWORD_VERIFICATION_ATTEMPT CUSTOM_ACCESS_TOKEN SEND_EMAIL SEND_SMS
  BEFORE_USER_CREATED AFTER_USER_CREATED`)

/** The names of the specification, listed independently of the table. */
const specifiedNames = [
  ...words(`
    SITE_URL URI_ALLOW_LIST DISABLE_SIGNUP EXTERNAL_EMAIL_ENABLED EXTERNAL_PHONE_ENABLED API_HOST PORT
    API_PORT API_EXTERNAL_URL REQUEST_ID_HEADER DB_DRIVER DATABASE_URL DB_DATABASE_URL
    DB_MAX_POOL_SIZE DB_NAMESPACE LOG_LEVEL LOG_FILE

    TRACING_ENABLED TRACING_EXPORTER METRICS_ENABLED METRICS_EXPORTER OTEL_EXPORTER_PROMETHEUS_HOST
    OTEL_EXPORTER_PROMETHEUS_PORT DEBUG OTEL_RESOURCE_ATTRIBUTES

    MULTI_INSTANCE_MODE OPERATOR_TOKEN API_ENDPOINT JWT_ADMIN_GROUP_NAME

    SECURITY_REFRESH_TOKEN_ROTATION_ENABLED SECURITY_REFRESH_TOKEN_REUSE_INTERVAL
    JWT_SECRET JWT_EXP JWT_AUD JWT_ADMIN_ROLES JWT_DEFAULT_GROUP_NAME
    PASSWORD_MIN_LENGTH PASSWORD_REQUIRED_CHARACTERS SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION
    SECURITY_CAPTCHA_ENABLED SECURITY_CAPTCHA_PROVIDER SECURITY_CAPTCHA_SECRET SECURITY_CAPTCHA_TIMEOUT
    EXTERNAL_ANONYMOUS_USERS_ENABLED SECURITY_SVC_FORWARDED_FOR_ENABLED RATE_LIMIT_HEADER

    SMTP_ADMIN_EMAIL SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASS SMTP_SENDER_NAME SMTP_MAX_FREQUENCY
    MAILER_AUTOCONFIRM MAILER_OTP_EXP RATE_LIMIT_EMAIL_SENT
    MAILER_URLPATHS_INVITE MAILER_URLPATHS_CONFIRMATION MAILER_URLPATHS_RECOVERY
    MAILER_URLPATHS_MAGIC_LINK

    SMS_AUTOCONFIRM SMS_MAX_FREQUENCY SMS_OTP_EXP SMS_OTP_LENGTH SMS_PROVIDER SMS_TWILIO_ACCOUNT_SID
    SMS_TWILIO_AUTH_TOKEN SMS_TWILIO_MESSAGE_SERVICE_SID SMS_MESSAGEBIRD_ACCESS_KEY
    SMS_MESSAGEBIRD_ORIGINATOR`),
  ...specifiedProviders.flatMap((provider) =>
    words('ENABLED CLIENT_ID SECRET REDIRECT_URI URL EMAIL_OPTIONAL SKIP_NONCE_CHECK').map(
      (suffix) => `EXTERNAL_${provider.toUpperCase()}_${suffix}`,
    ),
  ),
  ...[...specifiedMails, ...specifiedNotifications].flatMap((mail) => [
    `MAILER_SUBJECTS_${mail}`,
    `MAILER_TEMPLATES_${mail}`,
  ]),
  ...specifiedNotifications.flatMap((mail) => [
    `MAILER_NOTIFICATIONS_${mail}_ENABLED`,
    `MAILER_SUBJECTS_${mail}_NOTIFICATION`,
    `MAILER_TEMPLATES_${mail}_NOTIFICATION`,
  ]),
  ...specifiedHooks.flatMap((hook) =>
    words('ENABLED URI SECRETS').map((suffix) => `HOOK_${hook}_${suffix}`),
  ),
  ...words(`
    JWT_KEYS JWT_ISSUER JWT_KEY_ID MAILER_SECURE_EMAIL_CHANGE_ENABLED SECURITY_MANUAL_LINKING_ENABLED
    MFA_TOTP_ENROLL_ENABLED MFA_TOTP_VERIFY_ENABLED MFA_PHONE_ENROLL_ENABLED MFA_PHONE_VERIFY_ENABLED
    MFA_PHONE_OTP_LENGTH MFA_PHONE_MAX_FREQUENCY MFA_PHONE_TEMPLATE MFA_WEB_AUTHN_ENROLL_ENABLED
    MFA_WEB_AUTHN_VERIFY_ENABLED MFA_MAX_ENROLLED_FACTORS MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY
    SMS_TEST_OTP SMS_TEST_OTP_VALID_UNTIL SMS_TEMPLATE SMS_TWILIO_CONTENT_SID
    SMS_TWILIO_VERIFY_ACCOUNT_SID SMS_TWILIO_VERIFY_AUTH_TOKEN SMS_TWILIO_VERIFY_MESSAGE_SERVICE_SID
    SMS_TEXTLOCAL_API_KEY SMS_TEXTLOCAL_SENDER SMS_VONAGE_API_KEY SMS_VONAGE_API_SECRET SMS_VONAGE_FROM
    MAILER_OTP_LENGTH RATE_LIMIT_SMS_SENT RATE_LIMIT_OTP RATE_LIMIT_VERIFY RATE_LIMIT_TOKEN_REFRESH
    RATE_LIMIT_ANONYMOUS_USERS RATE_LIMIT_SSO RATE_LIMIT_WEB3 RATE_LIMIT_PASSKEY
    RATE_LIMIT_O_AUTH_DYNAMIC_CLIENT_REGISTER SAML_RATE_LIMIT_ASSERTION
    SESSIONS_TIMEBOX SESSIONS_INACTIVITY_TIMEOUT SESSIONS_SINGLE_PER_USER SESSIONS_ALLOW_LOW_AAL
    EXTERNAL_IOS_BUNDLE_ID EXTERNAL_REDIRECTURL PASSWORD_HIBP_ENABLED SAML_ENABLED SAML_PRIVATE_KEY
    EXTERNAL_WEB3_SOLANA_ENABLED EXTERNAL_WEB3_ETHEREUM_ENABLED PASSKEY_ENABLED WEBAUTHN_RP_ID
    WEBAUTHN_RP_DISPLAY_NAME WEBAUTHN_RP_ORIGINS OAUTH_SERVER_ENABLED
    OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION OAUTH_SERVER_AUTHORIZATION_PATH
    OAUTH_SERVER_AUTHORIZATION_TTL OAUTH_SERVER_DEFAULT_SCOPE
    MAILER_TEMPLATE_MAX_SIZE MAILER_TEMPLATE_MAX_AGE MAILER_TEMPLATE_RETRY_INTERVAL
    MAILER_TEMPLATE_RELOADING_ENABLED MAILER_TEMPLATE_RELOADING_MAX_IDLE MAILER_EXTERNAL_HOSTS
    MAILER_EMAIL_VALIDATION_EXTENDED MAILER_EMAIL_VALIDATION_SERVICE_URL
    MAILER_EMAIL_VALIDATION_SERVICE_HEADERS MAILER_EMAIL_VALIDATION_BLOCKED_MX
    MAILER_URLPATHS_EMAIL_CHANGE SMTP_HEADERS DB_CLEANUP_ENABLED DB_MAX_IDLE_POOL_SIZE
    DB_CONN_MAX_LIFETIME API_MAX_REQUEST_DURATION CORS_ALLOWED_HEADERS
    EXTERNAL_EMAIL_MAGIC_LINK_ENABLED EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES
    MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS AUDIT_LOG_DISABLE_POSTGRES
    SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION
    SECURITY_SB_FORWARDED_FOR_ENABLED`),
  ...words(`
    DB_SCHEMA DB_PREPARED_STATEMENTS ENCRYPTION_KEY JWT_ALGORITHM PASSWORD_HASH_MEMORY_KIB
    PASSWORD_HASH_ITERATIONS PASSWORD_HASH_PARALLELISM`),
]
