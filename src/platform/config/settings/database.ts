import { boolean, oneOf } from '../parsers/choices.ts'
import { integer, seconds } from '../parsers/numbers.ts'
import { sqlName } from '../parsers/texts.ts'
import { postgresUrl } from '../parsers/urls.ts'
import { live } from '../setting.ts'

export const databaseSettings = [
  live('database.url', {
    env: 'DATABASE_URL',
    aliases: ['DB_DATABASE_URL'],
    bare: ['DATABASE_URL'],
    // GoTrue's variables are not read: an import must not migrate the database that the former
    // server still uses.
    gotrue: [],
    parser: postgresUrl,
    default: null,
    defaultText: 'required; embedded in development',
    secret: true,
    description: 'Connection string of the PostgreSQL database.',
  }),
  live('database.listenUrl', {
    env: 'DATABASE_LISTEN_URL',
    gotrue: [],
    parser: postgresUrl,
    default: null,
    defaultText: '`AUTH_DATABASE_URL`',
    secret: true,
    description:
      'The same database without a pooler, for notifications of changed keys; without it, changes may take two seconds.',
  }),
  live('database.replicaUrl', {
    env: 'DATABASE_REPLICA_URL',
    gotrue: [],
    parser: postgresUrl,
    default: null,
    secret: true,
    description:
      'A streaming replica, from which lists of users, the audit log, exports and `latchkey why` are read.',
  }),
  live('database.replicaMaxLagSeconds', {
    env: 'DATABASE_REPLICA_MAX_LAG',
    gotrue: [],
    parser: seconds({ min: 1, max: 86_400 }),
    default: 10,
    description: 'Age of the data of the replica above which the primary is read instead.',
  }),
  live('database.driver', {
    env: 'DB_DRIVER',
    parser: oneOf(['postgres']),
    default: 'postgres',
    description: 'Dialect of the database.',
  }),
  live('database.schema', {
    env: 'DB_SCHEMA',
    // GoTrue's namespace is a schema.
    gotrue: ['DB_SCHEMA', 'DB_NAMESPACE', 'DB_DB_NAMESPACE'],
    parser: sqlName,
    default: 'auth',
    description: 'PostgreSQL schema of the tables.',
  }),
  live('database.namespace', {
    env: 'DB_NAMESPACE',
    gotrue: [],
    parser: sqlName,
    default: '',
    description: 'Prefix of every table name.',
  }),
  live('database.maxPoolSize', {
    env: 'DB_MAX_POOL_SIZE',
    parser: integer('connections', { min: 0 }),
    default: 10,
    defaultText: '0; in code 10',
    description:
      'Maximum of open connections; 0 sets no fixed limit: a fifth of the connections of the server, the role and the database is left to others.',
  }),
  live('database.maxIdlePoolSize', {
    env: 'DB_MAX_IDLE_POOL_SIZE',
    parser: integer('connections', { min: 0 }),
    default: 0,
    description: 'Maximum of idle connections that stay open; 0 keeps all of them.',
  }),
  live('database.connectionMaxLifetimeSeconds', {
    env: 'DB_CONN_MAX_LIFETIME',
    // Timers are limited to 24 days.
    parser: seconds({ min: 0, max: 2_000_000 }),
    default: 0,
    description: 'Age at which a connection is replaced once it is free; 0 means never.',
  }),
  live('database.connectionMaxIdleSeconds', {
    env: 'DB_CONN_MAX_IDLE_TIME',
    parser: seconds({ min: 0, max: 2_000_000 }),
    default: 10,
    description: 'How long an idle connection stays open; 0 for unlimited.',
  }),
  live('database.preparedStatements', {
    env: 'DB_PREPARED_STATEMENTS',
    parser: boolean,
    default: true,
    description: 'Plans frequent statements once per connection; disable it behind some poolers.',
  }),
  live('database.cleanupEnabled', {
    env: 'DB_CLEANUP_ENABLED',
    parser: boolean,
    default: true,
    description: 'Deletes expired rows in the background, a few at a time.',
  }),
]
