import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { collectInto, type LogEntry, testSecret } from '../../../test/support/test-auth.ts'
import { createSubscribePages } from '../../capabilities/subscribe-pages/subscribe-pages.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import { givenConfigOf } from '../../platform/config/given-config.ts'
import { createSharedAuth, type SharedAuth, type SharedAuthOptions } from './create-shared-auth.ts'

const password = 'correct horse'
const databases: TestDatabase[] = []
const opened = new Set<SharedAuth>()
let count = 0

afterEach(async () => {
  for (const { auth } of opened) await auth.close()
  for (const database of databases) await database.drop()
  opened.clear()
  databases.length = 0
  vi.unstubAllEnvs()
})

/** A module of an application, which a host evaluates several times. */
async function application() {
  const database = await createTestDatabase()
  databases.push(database)
  count += 1
  const name = `service-${count}`
  const log: LogEntry[] = []
  const evaluate = (changes: AuthConfig = {}, options: SharedAuthOptions = {}): SharedAuth => {
    const shared = createSharedAuth(
      () => ({
        siteUrl: 'http://localhost:3000',
        basePath: '/auth',
        database: database.url,
        jwt: { secret: testSecret },
        email: { autoconfirm: true },
        passwords: { argon2: { memoryKib: 64, iterations: 1 } },
        logger: collectInto(log),
        ...changes,
      }),
      { name, ...options },
    )
    opened.add(shared)
    return shared
  }
  const replacements = () => log.filter(({ message }) => message.startsWith('settings changed'))
  return { evaluate, replacements }
}

describe('createSharedAuth (N08)', () => {
  it('reads no settings before the first use, and rejects invalid ones then', async () => {
    const read = vi.fn(() => ({ siteUrl: 'not a URL' }))
    const { auth, sessions } = createSharedAuth(read, { name: 'unread' })

    expect(read).not.toHaveBeenCalled()
    await expect(auth.ready()).rejects.toMatchObject({ name: 'ConfigError' })
    await expect(sessions.open(new Request('http://localhost:3000/'))).rejects.toMatchObject({
      name: 'ConfigError',
    })
  })

  it('is one service for all evaluations of a module with the same settings', async () => {
    const { evaluate, replacements } = await application()
    const one = evaluate()
    await one.auth.ready()
    const other = evaluate()
    const email = 'ada@example.test'
    await one.auth.api.signUp({ email, password })

    expect(other).toBe(one)
    expect((await other.auth.admin.findUser({ email }))?.email).toBe(email)
    expect(replacements()).toEqual([])
  })

  it('replaces the service when settings change, and logs their names without values', async () => {
    const { evaluate, replacements } = await application()
    const { auth } = evaluate()
    await auth.api.signUp({ email: 'ada@example.test', password })
    const secret = 'another secret of more than 32 bytes'
    evaluate({ jwt: { secret }, passwords: { minLength: 20 } })

    const short = auth.api.signUp({ email: 'eve@example.test', password })

    await expect(short).rejects.toMatchObject({ code: 'weak_password' })
    expect(replacements()).toMatchObject([
      {
        level: 'warn',
        fields: {
          settings: [
            'jwt.secret',
            'passwords.argon2.iterations',
            'passwords.argon2.memoryKib',
            'passwords.minLength',
          ],
        },
      },
    ])
    expect(JSON.stringify(replacements())).not.toContain(secret)
  })

  it('applies a changed function without a new service', async () => {
    const { evaluate, replacements } = await application()
    const requested: string[] = []
    const hooks = (version: string): AuthConfig => ({
      hooks: { beforeUserCreated: async () => void requested.push(version) },
    })
    const { auth } = evaluate(hooks('first'))
    await auth.api.signUp({ email: 'ada@example.test', password })
    evaluate(hooks('second'))
    await auth.api.signUp({ email: 'eve@example.test', password })

    expect(requested).toEqual(['first', 'second'])
    expect(replacements()).toEqual([])
  })

  it('serves 20 requests while settings change', async () => {
    const { evaluate } = await application()
    const { auth } = evaluate()
    await auth.ready()
    const health = () => auth.fetch(new Request('http://localhost:3000/auth/health'))
    const before = Array.from({ length: 10 }, health)
    evaluate({ passwords: { minLength: 20 } })
    const after = Array.from({ length: 10 }, health)

    const answers = await Promise.all([...before, ...after])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  })

  it('has cookie sessions of the site, which follow the service', async () => {
    const { evaluate } = await application()
    const { auth, sessions } = evaluate()
    const email = 'ada@example.test'
    await auth.api.signUp({ email, password })
    const origin = 'http://localhost:3000'
    const post = () => new Request(`${origin}/`, { method: 'POST', headers: { origin } })
    const session = await sessions.open(post())
    evaluate({ passwords: { minLength: 20 } })
    await session.api.signInWithPassword({ email, password })
    const headers = new Headers()
    session.addHeaders(headers)
    const cookie = headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')

    const next = await sessions.open(new Request(origin, { headers: { cookie } }))
    expect(next.viewer?.claims.email).toBe(email)
    expect([sessions.basePath, sessions.name]).toEqual(['/auth', 'latchkey'])
    expect(headers.getSetCookie()[0]).not.toContain('__Host-')
  })

  it('has subscription pages, also after a replacement', async () => {
    const { evaluate } = await application()
    const { auth } = evaluate()
    const pages = createSubscribePages({ auth })
    const [list] = [await pages.lists.create({ name: 'News' })]
    evaluate({ passwords: { minLength: 20 } })

    expect(await pages.lists.list()).toEqual([list])
  })

  it('reports its configuration to the command line', async () => {
    const { evaluate } = await application()

    expect(givenConfigOf(evaluate().auth)).toMatchObject({ basePath: '/auth' })
  })

  it('rejects different settings of one name in production', async () => {
    const { evaluate } = await application()
    const { auth } = evaluate()
    await auth.ready()
    vi.stubEnv('NODE_ENV', 'production')
    evaluate({ passwords: { minLength: 20 } })

    await expect(auth.ready()).rejects.toThrow(/different settings .* passwords\.minLength.*name/)
    evaluate()
    await auth.ready()
  })
})
