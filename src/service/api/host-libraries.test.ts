import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { whileWritesBreak } from '../../../test/support/broken-writes.ts'
import { hostLibraries, type LibraryHost } from '../../../test/support/host-libraries.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { User } from '../../accounts/users/user.ts'
import type { CallOptions } from './call-options.ts'

// `{ tx }` of each library that `docs/users.md` names, with the library itself.

class ChangedMind extends Error {}

const metadata = {
  object: { list: [1, 'two', null, { three: true }], empty: {} },
  none: [],
  large: 1e21,
  '"ключ\\"': "é👩‍👩‍👧 \\u0041 ' $1 ? :name {{1}}",
}

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
  await auth.auth.ready()
})
afterAll(() => auth.close())

/** Returns the state that a rolled-back call must not change. */
const everything = () =>
  auth.rows(`select (select md5(string_agg(u::text, '' order by id)) from auth.users u) as users,
    (select count(*) from auth.sessions) as sessions,
    (select count(*) from auth.outbox_messages) as messages,
    (select count(*) from auth.audit_entries) as entries`)

const everythingOf = (error: unknown) => inspect(error, { depth: 12, showHidden: true })

it('matches the documentation of each', () => {
  const root = join(import.meta.dirname, '../../..')
  // The formatter breaks lines that the documentation does not.
  const plain = (code: string) => code.replaceAll(/\s/g, '').replaceAll(/,(?=[)}])/g, '')
  const source = plain(readFileSync(join(root, 'test/support/host-libraries.ts'), 'utf8'))
  const documentation = readFileSync(join(root, 'docs/users.md'), 'utf8')
  const lines = [...documentation.matchAll(/^\| (\S+) .*\| `(tx: .*)` \|$/gm)]

  expect(lines.map(([, library]) => library)).toEqual(
    Object.keys(hostLibraries).filter((library) => library !== 'pg'),
  )
  for (const [, , line = ''] of lines) expect(source).toContain(plain(line))
})

describe.each(Object.entries(hostLibraries))('N12: in a transaction of %s', (library, open) => {
  let host: LibraryHost
  let made = 0
  const newEmail = () => `${library.toLowerCase()}-${++made}@example.test`

  beforeAll(async () => {
    host = await open(auth.databaseUrl)
  })
  afterAll(() => host.close())

  /**
   * Returns the error of a call that the host throws again, so that its transaction is rolled back.
   */
  const failing = (work: (joined: CallOptions) => Promise<unknown>): Promise<unknown> =>
    host.transaction(work).then(
      () => 'nothing was thrown',
      (error: unknown) => error,
    )

  it('a user is committed with the transaction, with its audit entries', async () => {
    const email = newEmail()

    const { id } = await host.transaction((joined) =>
      auth.auth.admin.createUser({ email, userMetadata: metadata }, joined),
    )

    expect((await auth.auth.admin.getUser(id)).userMetadata).toMatchObject(metadata)
    const { entries } = await auth.auth.admin.listAudit({ userId: id })
    expect(entries.map(({ action }) => action)).toEqual(['user_signedup'])
  })

  it('a user is rolled back with it, with all other rows', async () => {
    const { admin, api } = auth.auth
    const { id } = await auth.given.user(newEmail())
    const before = await everything()

    const error = await failing(async (joined) => {
      await admin.createUser({ email: newEmail() }, joined)
      await api.signUp({ email: newEmail(), password: testPassword }, joined)
      await admin.inviteUser({ email: newEmail() }, joined)
      await admin.banUser(id, {}, joined)
      await admin.deleteUser(id, {}, joined)
      throw new ChangedMind()
    })

    expect(error).toBeInstanceOf(ChangedMind)
    expect(await everything()).toEqual(before)
  })

  it('calls return the same as outside', async () => {
    const { admin, api } = auth.auth
    const given = async (): Promise<User> =>
      admin.createUser({ email: newEmail(), password: testPassword, emailConfirm: true })
    const runFlows = async ({ id, email }: User, options: CallOptions) => {
      const credentials = { email: email ?? '', password: testPassword }
      const { session } = await api.signInWithPassword(credentials, options)
      const { accessToken } = session
      const factor = await api.enrollFactor({ accessToken, factorType: 'totp' }, options)
      const factorId = factor.id
      return {
        challenge: await api.challengeFactor({ accessToken, factorId }, options),
        updated: await api.updateUser({ accessToken, data: metadata }, options),
        sessions: await api.listSessions({ accessToken }, options),
        refreshed: await api.refreshSession({ refreshToken: session.refreshToken }, options),
        unenrolled: await api.unenrollFactor({ accessToken, factorId }, options),
        banned: await admin.banUser(id, { duration: '1h' }, options),
        unbanned: await admin.unbanUser(id, options),
        found: await admin.findUser({ email: email ?? '' }, options),
        listed: (await admin.listUsers({}, options)).users.map(({ createdAt }) => createdAt),
        audit: (await admin.listAudit({}, options)).entries.map(({ createdAt }) => createdAt),
        link: await admin.generateLink({ type: 'magiclink', email: email ?? '' }, options),
        exported: (await (await admin.exportUser(id, options)).read()).user,
        imported: await admin.importUsers([{ email: 'x' }, { email: newEmail() }], {}, options),
        erased: await admin.eraseUser(id, options),
      }
    }

    const outside = await runFlows(await given(), {})
    const user = await given()
    const inside = await host.transaction((joined) => runFlows(user, joined))

    expect(shapeOf(inside)).toEqual(shapeOf(outside))
  })

  it('a rejection leaves it usable', async () => {
    const user = await auth.given.user(newEmail())
    const email = newEmail()

    await host.transaction(async (joined) => {
      const duplicate = auth.auth.admin.createUser({ email: user.email ?? '' }, joined)
      await expect(duplicate).rejects.toMatchObject({ code: 'email_exists' })
      await auth.auth.admin.createUser({ email }, joined)
    })

    expect(await auth.auth.admin.findUser({ email })).toMatchObject({ email })
  })

  it.each([
    ['a check', '23514', { name: 'DatabaseError', code: '23514' }],
    ['a race', '23505', { name: 'AuthError', code: 'conflict', status: 409 }],
    ['a deadlock', '40P01', { name: 'AuthError', code: 'service_unavailable', status: 503 }],
  ])('a statement that fails by %s reveals no value, and ends it', async (_, code, expected) => {
    const { id } = await auth.given.user(newEmail())
    const change = (joined: CallOptions) =>
      auth.auth.admin.updateUser(id, { role: 'canary' }, joined)
    let afterwards: unknown

    const error = await failing(async (joined) => {
      const changed = whileWritesBreak(auth, () => change(joined), code)
      await changed.catch(async (failure: unknown) => {
        afterwards = await change(joined).catch((thrown: unknown) => thrown)
        throw failure
      })
    })

    expect(error).toMatchObject(expected)
    expect(everythingOf(error)).not.toMatch(/canary|argon2|@example/)
    expect(afterwards).toMatchObject({ code: '25P02', message: expect.stringMatching('aborted') })
    expect(await auth.auth.admin.getUser(id)).toMatchObject({ role: 'authenticated' })
  })

  // After the end of a connection postgres.js throws at the next statement, where the error cannot
  // be caught.
  it.skipIf(library === 'postgres.js')('the end of its connection reveals no value', async () => {
    const { id } = await auth.given.user(newEmail())
    let error: unknown

    await failing(async (joined) => {
      await auth.auth.admin.createUser({ email: newEmail() }, joined)
      await auth.rows(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where state = 'idle in transaction' and datname = current_database()`)
      const changed = auth.auth.admin.updateUser(id, { role: 'canary' }, joined)
      await changed.catch((thrown: unknown) => {
        error = thrown
        throw thrown
      })
    })

    const printed = { code: 'service_unavailable', status: 503 }
    expect(error).toMatchObject(
      library === 'TypeORM' ? { name: 'QueryRunnerAlreadyReleasedError' } : printed,
    )
    expect(everythingOf(error)).not.toMatch(/canary|argon2|@example/)
  })

  it('a call is rejected without a transaction, and after its end', async () => {
    const before = await everything()
    const email = newEmail()
    let ended: CallOptions = {}
    await host.transaction(async (joined) => {
      ended = joined
    })

    const outside = auth.auth.admin.createUser({ email }, host.outsideTransaction)
    await expect(outside).rejects.toThrow(new TypeError('tx runs no transaction'))
    await expect(auth.auth.admin.createUser({ email }, ended)).rejects.toThrow()
    expect(await everything()).toEqual(before)
  })
})

/** Returns the types of all properties, by name. Of a list, the type of its first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (value instanceof Date) return 'Date'
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]))
}
