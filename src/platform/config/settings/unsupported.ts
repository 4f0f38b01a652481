import { providerNames } from '../provider-names.ts'
import type { UnsupportedSetting } from '../setting.ts'

export const unsupportedSettings: readonly UnsupportedSetting[] = [
  {
    env: 'MULTI_INSTANCE_MODE',
    description: 'Served several sites from one process; run one service for each.',
  },
  {
    env: 'OPERATOR_TOKEN',
    description: 'Opened the endpoints that managed such sites.',
  },
  {
    env: 'API_ENDPOINT',
    description:
      'Named the path of the API among several; `AUTH_API_EXTERNAL_URL` says where it is.',
  },
  {
    env: 'JWT_ADMIN_GROUP_NAME',
    description: 'Named the group of administrators; `AUTH_JWT_ADMIN_ROLES` lists their roles.',
  },
  {
    env: 'SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION',
    description: 'Chose the form of refresh tokens; they are always signed and counted.',
  },
  {
    env: 'PASSWORD_HIBP_BLOOM_ENABLED',
    description:
      'Kept a filter of known passwords; ranges that were asked for are kept as they are.',
  },
  {
    env: 'PASSWORD_HIBP_BLOOM_ITEMS',
    description: 'Was the size of that filter.',
  },
  {
    env: 'PASSWORD_HIBP_BLOOM_FALSE_POSITIVES',
    description: 'Was how often that filter was wrong.',
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
    description: 'Was the key of that; `AUTH_ENCRYPTION_KEY` is.',
  },
  {
    env: 'SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID',
    description: 'Named that key; the first of `AUTH_ENCRYPTION_KEY` makes, and all read.',
  },
  {
    env: 'SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS',
    description: 'Listed former keys; `AUTH_ENCRYPTION_KEY` takes several.',
  },
  {
    env: 'SECURITY_REFRESH_TOKEN_ALLOW_REUSE',
    description:
      'Let refresh tokens be used for ever; `AUTH_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL` says how long after their use.',
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
    description: 'Answered what SCIM a service has; there is none.',
  },
  {
    env: 'EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED',
    description:
      'Made an identity of the email along with the first password; an email has one from the start.',
  },
  {
    env: 'DB_CONN_PERCENTAGE',
    description:
      'Sized the pool by what the server takes; with `AUTH_DB_MAX_POOL_SIZE` 0 it takes four fifths at most, together with all other connections.',
  },
  {
    env: 'DB_HEALTH_CHECK_PERIOD',
    description:
      'Was never acted on; a connection that says nothing is replaced, and `GET /ready` tells of the database.',
  },
  {
    env: 'DB_MIGRATIONS_PATH',
    description:
      'Named the folder of migrations; they are part of the package: `latchkey migrate plan` prints them.',
  },
  {
    env: 'DB_AUTOMIGRATE',
    description: 'Was never read; `latchkey serve` brings the schema up to date by itself.',
  },
  {
    env: 'DB_ADVISOR_ENABLED',
    description: 'Advised a bigger pool; metrics tell of those who wait for a connection.',
  },
  {
    env: 'DB_ADVISOR_SAMPLING_INTERVAL',
    description: 'Was how often that advisor looked.',
  },
  {
    env: 'DB_ADVISOR_OBSERVATION_INTERVAL',
    description: 'Was how long it looked.',
  },
  {
    env: 'INDEX_WORKER_ENSURE_USER_SEARCH_INDEXES_EXIST',
    description: 'Made indexes for the search of users; the schema has them from the start.',
  },
  {
    env: 'INDEX_WORKER_MAX_USERS_THRESHOLD',
    description: 'Was the number of users up to which they were made.',
  },
  {
    env: 'MAILER_EMAIL_BACKGROUND_SENDING',
    description: 'Sent mails after the answer; they always are: `docs/outbox.md`.',
  },
  {
    env: 'LOG_SQL',
    description:
      'Logged statements, with values if asked; traces tell of them without values, and PostgreSQL logs them with `log_statement`.',
  },
  {
    env: 'LOG_DISABLE_COLORS',
    description: 'Was never acted on: the log is lines of JSON.',
  },
  {
    env: 'LOG_QUOTE_EMPTY_FIELDS',
    description: 'Was never acted on: the log is lines of JSON.',
  },
  {
    env: 'LOG_TSFORMAT',
    description: 'Was never acted on: times of the log are those of ISO 8601.',
  },
  {
    env: 'LOG_FIELDS',
    description: 'Was never acted on; what collects the log knows where it is from.',
  },
  {
    env: 'TRACING_HOST',
    description: 'Was never acted on; `AUTH_OTEL_EXPORTER_OTLP_ENDPOINT` says where traces go.',
  },
  {
    env: 'TRACING_PORT',
    description: 'Was never acted on; `AUTH_OTEL_EXPORTER_OTLP_ENDPOINT` says where traces go.',
  },
  {
    env: 'TRACING_SERVICE_NAME',
    description: 'Was never acted on; `AUTH_OTEL_SERVICE_NAME` names the service.',
  },
  {
    env: 'TRACING_TAGS',
    description: 'Was never acted on; `AUTH_OTEL_RESOURCE_ATTRIBUTES` holds attributes.',
  },
  {
    env: 'CUSTOM_OAUTH_ENABLED',
    description:
      'Opened an API that adds providers; in code `providers` takes any, and `AUTH_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS` names issuers.',
  },
  {
    env: 'CUSTOM_OAUTH_MAX_PROVIDERS',
    description: 'Was how many of those there might be.',
  },
  {
    env: 'CUSTOM_OAUTH_EXTERNAL_URL',
    description:
      'Was where people came back from those to; `AUTH_API_EXTERNAL_URL` says it for all.',
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
    description:
      'Looked at files by a timer where the system does not tell of them; a timer always does.',
  },
  {
    env: 'RELOADING_SIGNAL_ENABLED',
    description: 'Let a signal have settings read anew; SIGHUP always does.',
  },
  {
    env: 'RELOADING_SIGNAL_NUMBER',
    description: 'Was the number of that signal; it is SIGHUP.',
  },
  {
    env: 'SESSION_KEY',
    description: 'Was never read; nothing is kept in sessions of a browser.',
  },
  ...providerNames.map((provider) => ({
    env: `EXTERNAL_${provider.toUpperCase()}_API_URL`,
    family: 'EXTERNAL_<PROVIDER>_API_URL',
    description: 'Was never acted on; `AUTH_EXTERNAL_<PROVIDER>_URL` names another host.',
  })),
]
