import { providerNames } from '../provider-names.ts'
import type { UnsupportedSetting } from '../setting.ts'

export const unsupportedSettings: readonly UnsupportedSetting[] = [
  {
    env: 'MULTI_INSTANCE_MODE',
    description: 'Served several sites from one process; run one service for each.',
  },
  {
    env: 'OPERATOR_TOKEN',
    description: 'Enabled the endpoints that managed such sites.',
  },
  {
    env: 'API_ENDPOINT',
    description: 'Selected the path of the API among several; set `AUTH_API_EXTERNAL_URL` instead.',
  },
  {
    env: 'JWT_ADMIN_GROUP_NAME',
    description: 'Named the group of administrators; `AUTH_JWT_ADMIN_ROLES` lists their roles.',
  },
  {
    env: 'SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION',
    description: 'Selected the form of refresh tokens; they are always signed and counted.',
  },
  {
    env: 'PASSWORD_HIBP_BLOOM_ENABLED',
    description: 'Stored a filter of breached passwords; requested ranges are cached instead.',
  },
  {
    env: 'PASSWORD_HIBP_BLOOM_ITEMS',
    description: 'Was the size of that filter.',
  },
  {
    env: 'PASSWORD_HIBP_BLOOM_FALSE_POSITIVES',
    description: 'Was the error rate of that filter.',
  },
  {
    env: 'JWT_VALID_METHODS',
    description: 'Listed the algorithms of tokens; each key is bound to its own.',
  },
  {
    env: 'SECURITY_DB_ENCRYPTION_ENCRYPT',
    description: 'Encrypted columns; with `AUTH_ENCRYPTION_KEY`, stored secrets always are.',
  },
  {
    env: 'SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY',
    description: 'Was the key for it; `AUTH_ENCRYPTION_KEY` replaces it.',
  },
  {
    env: 'SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID',
    description: 'Named that key; the first of `AUTH_ENCRYPTION_KEY` encrypts, and all decrypt.',
  },
  {
    env: 'SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS',
    description:
      'Listed former keys, which only `latchkey import gotrue` reads; `AUTH_ENCRYPTION_KEY` accepts several.',
  },
  {
    env: 'SECURITY_REFRESH_TOKEN_ALLOW_REUSE',
    description:
      'Allowed unlimited reuse of refresh tokens; `AUTH_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL` limits it.',
  },
  {
    env: 'SECURITY_REFRESH_TOKEN_UPGRADE_PERCENTAGE',
    description:
      'Gave some sessions another form of refresh tokens; all have it, and imported ones get it when they are used.',
  },
  {
    env: 'MAX_VERIFIED_FACTORS',
    description: 'Was never read; `AUTH_MFA_MAX_VERIFIED_FACTORS` is.',
  },
  {
    env: 'EXTERNAL_SKIP_NONCE_CHECK',
    description:
      'Was never read; `AUTH_EXTERNAL_<PROVIDER>_SKIP_NONCE_CHECK` is, for each provider.',
  },
  {
    env: 'EXPERIMENTAL_CURSOR_PAGINATION_ENABLED',
    description:
      'Put cursors into the list of users; `auth.admin.listUsers` and `latchkey admin list` always have them, and the wire has pages.',
  },
  {
    env: 'EXPERIMENTAL_SCIM_ENABLED',
    description: 'Was for SCIM endpoints; there are none.',
  },
  {
    env: 'EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED',
    description:
      'Created an identity of the email with the first password; an email has one from the start.',
  },
  {
    env: 'DB_CONN_PERCENTAGE',
    description:
      'Sized the pool by the limit of the server; with `AUTH_DB_MAX_POOL_SIZE` 0 all connections together use at most four fifths of it.',
  },
  {
    env: 'DB_HEALTH_CHECK_PERIOD',
    description:
      'Never had an effect; an unresponsive connection is replaced, and `GET /ready` reports the state of the database.',
  },
  {
    env: 'DB_MIGRATIONS_PATH',
    description:
      'Named the folder of migrations; they are part of the package: `latchkey migrate plan` prints them.',
  },
  {
    env: 'DB_AUTOMIGRATE',
    description: 'Was never read; `latchkey serve` migrates the schema when it starts.',
  },
  {
    env: 'DB_ADVISOR_ENABLED',
    description: 'Recommended a bigger pool; metrics show how many requests wait for a connection.',
  },
  {
    env: 'DB_ADVISOR_SAMPLING_INTERVAL',
    description: 'Was the interval of that advisor.',
  },
  {
    env: 'DB_ADVISOR_OBSERVATION_INTERVAL',
    description: 'Was its duration.',
  },
  {
    env: 'INDEX_WORKER_ENSURE_USER_SEARCH_INDEXES_EXIST',
    description: 'Created indexes for the search of users; the schema has them from the start.',
  },
  {
    env: 'INDEX_WORKER_MAX_USERS_THRESHOLD',
    description: 'Was the number of users up to which they were created.',
  },
  {
    env: 'MAILER_EMAIL_BACKGROUND_SENDING',
    description: 'Sent mails after the response; they always are: `docs/outbox.md`.',
  },
  {
    env: 'LOG_SQL',
    description:
      'Logged statements, optionally with values; traces contain them without values, and PostgreSQL logs them with `log_statement`.',
  },
  {
    env: 'LOG_DISABLE_COLORS',
    description: 'Never had an effect: the log consists of lines of JSON.',
  },
  {
    env: 'LOG_QUOTE_EMPTY_FIELDS',
    description: 'Never had an effect: the log consists of lines of JSON.',
  },
  {
    env: 'LOG_TSFORMAT',
    description: 'Never had an effect: times in the log are in ISO 8601.',
  },
  {
    env: 'LOG_FIELDS',
    description: 'Never had an effect; the collector of the log adds its origin.',
  },
  {
    env: 'TRACING_HOST',
    description:
      'Never had an effect; set `AUTH_OTEL_EXPORTER_OTLP_ENDPOINT` for the target of traces.',
  },
  {
    env: 'TRACING_PORT',
    description:
      'Never had an effect; set `AUTH_OTEL_EXPORTER_OTLP_ENDPOINT` for the target of traces.',
  },
  {
    env: 'TRACING_SERVICE_NAME',
    description: 'Never had an effect; `AUTH_OTEL_SERVICE_NAME` names the service.',
  },
  {
    env: 'TRACING_TAGS',
    description: 'Never had an effect; `AUTH_OTEL_RESOURCE_ATTRIBUTES` contains attributes.',
  },
  {
    env: 'PROFILER_ENABLED',
    description:
      'Opened a port for profiles; Node writes them with `--cpu-prof` and `--heap-prof`.',
  },
  {
    env: 'PROFILER_HOST',
    description: 'Was the address of that port.',
  },
  {
    env: 'PROFILER_PORT',
    description: 'Was its number.',
  },
  {
    env: 'RELOADING_POLLERENABLED',
    description: 'Polled files where the system does not report changes; they are always polled.',
  },
  {
    env: 'RELOADING_SIGNAL_ENABLED',
    description: 'Enabled a signal that reloads the settings; SIGHUP always does.',
  },
  {
    env: 'RELOADING_SIGNAL_NUMBER',
    description: 'Was the number of that signal; it is SIGHUP.',
  },
  {
    env: 'SESSION_KEY',
    description: 'Was never read; no data are stored in sessions of a browser.',
  },
  ...['URL', 'SECRET', 'EVENTS', 'RETRIES', 'TIMEOUT_SEC'].map((name) => ({
    env: `WEBHOOK_${name}`,
    family: 'WEBHOOK_<NAME>',
    description:
      'Was for calls of a URL at sign-ups; the hook `AUTH_HOOK_EVENTS_URI` receives events.',
  })),
  ...['KEY', 'DOMAIN', 'DURATION'].map((name) => ({
    env: `COOKIE_${name}`,
    family: 'COOKIE_<NAME>',
    description:
      'Was for cookies of the former server; `docs/cookies.md` describes sessions in cookies.',
  })),
  ...['MAILER_TEST_OTP', 'MAILER_TEST_OTP_VALID_UNTIL'].map((env) => ({
    env,
    description: 'Was for fixed codes by mail; there are none. `AUTH_SMS_TEST_OTP` is for SMS.',
  })),
  ...['COUNT', 'LOCKOUT_DURATION', 'MAX_VERIFY_ATTEMPTS'].map((name) => ({
    env: `MFA_RECOVERY_CODES_${name}`,
    description: 'Was for recovery codes; their number and attempts are fixed: `docs/factors.md`.',
  })),
  {
    env: 'EXTERNAL_REDIRECT_URL',
    description:
      'Was the URL of the callback of all providers; it is `/callback` below `AUTH_API_EXTERNAL_URL`.',
  },
  ...['ENABLED', 'NAME', 'API_BASE', 'METADATA_URL'].map((name) => ({
    env: `EXTERNAL_SAML_${name}`,
    family: 'EXTERNAL_SAML_<NAME>',
    description: 'Was for an early form of SAML; this version has no SAML.',
  })),
  ...providerNames.map((provider) => ({
    env: `EXTERNAL_${provider.toUpperCase()}_API_URL`,
    family: 'EXTERNAL_<PROVIDER>_API_URL',
    description: 'Never had an effect; `AUTH_EXTERNAL_<PROVIDER>_URL` names another host.',
  })),
]
