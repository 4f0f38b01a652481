import { boolean, oneOf } from '../kinds/choices.ts'
import { integer, seconds } from '../kinds/numbers.ts'
import { sqlName } from '../kinds/texts.ts'
import { postgresUrl } from '../kinds/urls.ts'
import { live } from '../setting.ts'

export const databaseSettings = [
  live('database.url', {
    env: 'DATABASE_URL',
    aliases: ['DB_DATABASE_URL'],
    bare: ['DATABASE_URL'],
    // GoTrue's variables are not read: an import must not migrate the database that the former
    // server still uses.
    gotrue: [],
    kind: postgresUrl,
    default: null,
    defaultText: 'required; embedded in development',
    secret: true,
    description: 'Connection string of the PostgreSQL database.',
  }),
  live('database.listenUrl', {
    env: 'DATABASE_LISTEN_URL',
    gotrue: [],
    kind: postgresUrl,
    default: null,
    defaultText: '`AUTH_DATABASE_URL`',
    secret: true,
    description:
      'The same database without a pooler in between, to hear of changed keys at once; without, within 30 s.',
  }),
  live('database.driver', {
    env: 'DB_DRIVER',
    kind: oneOf(['postgres']),
    default: 'postgres',
    description: 'Dialect of the database.',
  }),
  live('database.schema', {
    env: 'DB_SCHEMA',
    // GoTrue's namespace is a schema.
    gotrue: ['DB_SCHEMA', 'DB_NAMESPACE', 'DB_DB_NAMESPACE'],
    kind: sqlName,
    default: 'auth',
    description: 'PostgreSQL schema that holds the tables.',
  }),
  live('database.namespace', {
    env: 'DB_NAMESPACE',
    gotrue: [],
    kind: sqlName,
    default: '',
    description: 'Prefix of every table name.',
  }),
  live('database.maxPoolSize', {
    env: 'DB_MAX_POOL_SIZE',
    kind: integer('connections', { min: 0 }),
    default: 10,
    defaultText: '0; in code 10',
    description:
      'Most connections that are open at a time; 0 sets no fixed ceiling: the last fifth of those of the server, the role and the database is left to others.',
  }),
  live('database.maxIdlePoolSize', {
    env: 'DB_MAX_IDLE_POOL_SIZE',
    kind: integer('connections', { min: 0 }),
    default: 0,
    description: 'Most connections that are kept while nobody uses them; 0 keeps all of them.',
  }),
  live('database.connectionMaxLifetimeSeconds', {
    env: 'DB_CONN_MAX_LIFETIME',
    // Timers are limited to 24 days.
    kind: seconds({ min: 0, max: 2_000_000 }),
    default: 0,
    description: 'Age at which a connection is replaced once it is free; 0 means never.',
  }),
  live('database.connectionMaxIdleSeconds', {
    env: 'DB_CONN_MAX_IDLE_TIME',
    kind: seconds({ min: 0, max: 2_000_000 }),
    default: 10,
    description: 'How long a connection is kept that nobody uses; 0 sets no end.',
  }),
  live('database.preparedStatements', {
    env: 'DB_PREPARED_STATEMENTS',
    kind: boolean,
    default: true,
    description:
      'Plans frequent statements once per connection; some poolers in front need it off.',
  }),
  live('database.cleanupEnabled', {
    env: 'DB_CLEANUP_ENABLED',
    kind: boolean,
    default: true,
    description: 'Removes expired rows in the background, a few at a time.',
  }),
]
