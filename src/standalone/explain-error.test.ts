import { describe, expect, it } from 'vitest'
import { RedisPackageMissingError } from '../platform/errors/start-errors.ts'
import { databaseRemedy } from './database-remedy.ts'
import { explain } from './explain-error.ts'

const failure = (message: string, fields: object) => Object.assign(new Error(message), fields)
const denied = (message: string) => failure(message, { name: 'DatabaseError', code: '42501' })

describe('an error of a command is one sentence with its remedy', () => {
  it.each([
    [
      failure('EACCES: permission denied, copyfile', {
        code: 'EACCES',
        path: '/package/server.mjs',
        dest: '/app/server.mjs',
      }),
      '/package/server.mjs or /app/server.mjs cannot be used: permission denied. Use a file or folder to which this user has access\n',
    ],
    [
      failure('ENOSPC: no space left on device, write', {
        code: 'ENOSPC',
        path: '/app/index.html',
      }),
      '/app/index.html cannot be used: no space is left. Free some space, or use another folder\n',
    ],
    [
      denied('permission denied for database Team-1'),
      'permission denied for database Team-1. As the owner of the database, run `grant create on database "Team-1" to ROLE`, or apply the script that `latchkey migrate plan` prints\n',
    ],
    [
      denied('must be owner of table users'),
      "must be owner of table users. Use the role that owns the schema and Latchkey's tables, or grant its privileges to this role\n",
    ],
    [
      new RedisPackageMissingError('rateLimits.redisUrl needs the package redis'),
      'AUTH_RATE_LIMIT_REDIS_URL needs the package redis\n',
    ],
  ])('%s', (error, expected) => {
    expect(explain(error, ['serve'])).toBe(expected)
  })
})

it('states no remedy of a database error twice', () => {
  const missing = failure('does not exist. Create it with createdb', { isConnecting: true })
  const wrapped = failure('The database cannot be reached', { name: 'AuthError', cause: missing })
  expect(databaseRemedy(wrapped)).toBeUndefined()
  expect(databaseRemedy(failure('', { name: 'AuthError' }))).toContain('accepts connections')
  expect(databaseRemedy(denied('permission denied for schema auth'))).toContain('owns the schema')
})
