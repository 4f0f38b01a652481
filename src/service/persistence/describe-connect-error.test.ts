import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startTestAuth } from '../../../test/support/test-auth.ts'
import { createAuth } from '../create-auth.ts'
import { databasePlaceOf } from './database-place.ts'
import { describeConnectError } from './describe-connect-error.ts'
import { describeDatabaseError } from './describe-database-error.ts'

const url = 'postgres://canary-user:canary-password@db.example.test:6543/app'
const coded = (code: string, message = 'canary-user') => Object.assign(new Error(message), { code })

describe('an error of a connection', () => {
  it.each([
    ['3D000', 'The database "app" does not exist on db.example.test:6543. Create it'],
    ['28P01', 'db.example.test:6543 (database "app") rejects the user. Correct user and password'],
    ['ENOTFOUND', 'The host of db.example.test:6543 (database "app") is not found. Correct'],
    [
      'ECONNREFUSED',
      'No server accepts connections at db.example.test:6543 (database "app"). Start',
    ],
    ['53300', 'db.example.test:6543 (database "app") has no connection left. Close'],
    ['ETIMEDOUT', 'db.example.test:6543 (database "app") does not respond in time. Check'],
  ])('%s names host, port, database and remedy, and no credentials', (code, text) => {
    const error = describeConnectError(coded(code), url)

    expect(error).toMatchObject({ code, message: expect.stringContaining(text) })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary')
  })

  it.each(['timeout expired', 'Connection terminated due to connection timeout'])(
    'that the driver reports without a code has one, so that requests return 503: %s',
    (message) => {
      const error = describeConnectError(new Error(message), url)

      expect(describeDatabaseError(error)).toMatchObject({ code: 'service_unavailable' })
    },
  )

  it('while the URL names a file that is missing has its text, since no file is read again', () => {
    const missing = `${url}?sslmode=verify-full&sslrootcert=/no/ca.pem`
    const reset = Object.assign(coded('ECONNRESET', 'read ECONNRESET'), { syscall: 'read' })

    for (const error of [coded('ECONNREFUSED'), reset])
      expect(describeConnectError(error, missing).message).toContain('db.example.test:6543')
  })

  it.each([
    'sslmode=verify-ca&uselibpqcompat=true&sslrootcert=/no/ca.pem',
    'sslmode=verify-full&sslnegotiation=direct&application_name=a?b',
  ])('with the TLS parameters %s has its text', (query) => {
    const { message } = describeConnectError(coded('ECONNREFUSED'), `${url}?${query}`)

    expect(message).toContain('db.example.test:6543 (database "app")')
  })

  it('of an invalid URL throws nothing, since the pool has no caller', () => {
    expect(describeConnectError(coded('ECONNRESET'), 'http://[/app').message).toContain(
      'the server of the URL',
    )
  })

  it('of several addresses has the code of the attempts', () => {
    const error = new AggregateError([coded('ECONNREFUSED')], '')

    expect(describeConnectError(error, url)).toMatchObject({ code: 'ECONNREFUSED' })
  })
})

describe('the place of a URL', () => {
  it.each([
    ['postgres://ada:secret@/app?host=/run/pg', '/run/pg/.s.PGSQL.5432', 'app'],
    ['postgres://ada@%2Frun%2Fpg:6543/app', '/run/pg/.s.PGSQL.6543', 'app'],
  ])('%s is the folder of a socket', (socketUrl, server, database) => {
    expect(databasePlaceOf(socketUrl)).toEqual({ server, database })
  })

  it('contains the port and database of parameters after a second question mark', () => {
    const query = 'application_name=what?&host=pg.example.test&port=6000'

    expect(databasePlaceOf(`postgres:///app?${query}`)).toEqual({
      server: 'pg.example.test:6000',
      database: 'app',
    })
  })
})

describe('ready()', () => {
  it('names a file of the URL that cannot be read; requests return 503', async () => {
    await using own = await disposable()
    const auth = createAuth({
      siteUrl: 'https://app.example.test',
      database: `${own.databaseUrl}?sslmode=verify-full&sslrootcert=/no/ca.pem`,
      jwt: { secret: 'a secret of at least thirty-two bytes' },
      email: { autoconfirm: true },
      logger: false,
    })
    const error = await auth.ready().catch((one) => one)
    const response = await auth.fetch(new Request('https://app.example.test/settings'))
    await auth.close()

    expect(error).toMatchObject({ code: 'service_unavailable', status: 503 })
    expect(error.message).toMatch(/^The file \/no\/ca\.pem .+ cannot be read \(ENOENT\)\. Correct /)
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('ca.pem')
  })

  it('names a database that does not exist; responses do not', async () => {
    await using own = await disposable()
    const missing = new URL(own.databaseUrl)
    missing.pathname = '/no_such_database'
    const auth = createAuth({
      siteUrl: 'https://app.example.test',
      database: missing.href,
      jwt: { secret: 'a secret of at least thirty-two bytes' },
      email: { autoconfirm: true },
      logger: false,
    })
    const error = await auth.ready().catch((one) => one)
    const call = await auth.admin.listUsers().catch((one) => one)
    const response = await auth.fetch(new Request('https://app.example.test/settings'))
    await auth.close()

    const text = /^The database "no_such_database" does not exist on \S+\. Create it/
    expect(error).toMatchObject({ code: 'service_unavailable', status: 503 })
    expect(error.message).toMatch(text)
    expect(call.message).toBe('The database cannot be reached')
    expect(call.cause.message).toMatch(text)
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('no_such_database')
  })
})

const disposable = async () => {
  const own = await startTestAuth()
  return { ...own, [Symbol.asyncDispose]: () => own.close() }
}
