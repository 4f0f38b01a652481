import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { type CliOptions, runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor, type ServerProcess, startServer } from './support/server-process.ts'
import { runSql } from './support/sql.ts'
import { hasTerminal, onTerminal } from './support/terminal.ts'

let database: TestDatabase
let server: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startServer(database.url)
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
})

const password = 'correct horse'

const admin = (args: string[], options: Pick<CliOptions, 'wrap' | 'input'> = {}) =>
  runCli(['admin', ...args], { ...environmentFor(database.url), ...options })

/** Returns the JSON output. */
async function adminJson(args: string[], input?: string) {
  const { code, output } = await admin([...args, '--json'], input === undefined ? {} : { input })
  if (code !== 0) throw new Error(output)
  return JSON.parse(output)
}

const signIn = (email: string, secret = password) =>
  ask(server.url, 'POST', '/token?grant_type=password', { body: { email, password: secret } })

describe('latchkey admin', () => {
  it('creates a user whose password is read from standard input', async () => {
    const email = 'ada@command.test'
    const flags = ['--confirm', '--role', 'editor', '--name', 'Ada', '--password']

    const { code, output } = await admin(['create-user', email, ...flags], {
      input: `${password}\nrest`,
    })

    expect(code).toBe(0)
    expect(output.split('\t')).toEqual([
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      email,
      '-',
      'editor',
      expect.stringMatching(/Z$/),
      'confirmed\n',
    ])
    const { body } = await signIn(email)
    expect(body.user).toMatchObject({ role: 'editor', user_metadata: { full_name: 'Ada' } })
  })

  it('ends without an error when the reader of an export closes the pipe', async () => {
    const { id } = await adminJson(['create-user', 'pia@pipe.test'])
    await runSql(
      database.url,
      `insert into auth.audit_entries (id, user_id, action, actor_role, created_at)
        select lpad(n::text, 32, '0')::uuid, user_id, action, actor_role, created_at
        from auth.audit_entries, generate_series(1, 5000) n where user_id = '${id}'`,
    )

    const { code, output } = await admin(['export-user', id], {
      wrap: (command) => ['bash', '-c', 'set -o pipefail; "$@" | head -c 10', 'bash', ...command],
    })

    expect([code, output.length]).toEqual([0, 10])
  })

  it('applies the password policy, and warns of a short password', async () => {
    const make = (name: string, input: string) =>
      admin(['create-user', `${name}@weak.test`, '--password'], { input })

    const tooShort = await make('dan', 'abc')
    const easy = await make('eve', 'password')
    const good = await make('fay', 'correct horse')

    expect([tooShort.code, easy.code, good.code]).toEqual([1, 0, 0])
    expect(tooShort.output).toContain('Password should be at least 6 characters')
    expect(easy.output).toMatch(/^This password has fewer than 12 characters and is not checked/m)
    expect(good.output).not.toContain('password has')
  })

  it('changes a user by address, phone or id', async () => {
    const { id } = await adminJson(['create-user', 'bea@command.test'])

    const byEmail = await adminJson(['update-user', 'BEA@command.test', '--phone', '+49 155 5'])
    const byPhone = await adminJson(['update-user', '+491555', '--confirm'])
    const byId = await adminJson(['update-user', id, '--password'], 'another horse')

    expect([byEmail.id, byPhone.id, byId.id]).toEqual([id, id, id])
    expect(byId).toMatchObject({ phone: '491555', emailConfirmedAt: expect.any(String) })
    expect((await signIn('bea@command.test', 'another horse')).status).toBe(200)
  })

  it('bans a user, lifts the ban, and deletes', async () => {
    const email = 'cleo@command.test'
    await adminJson(['create-user', email, '--confirm', '--password'], password)

    const banned = await admin(['ban', email, '24h'])
    const during = await signIn(email)
    const lifted = await admin(['unban', email])
    const after = await signIn(email)
    await admin(['ban', email])
    const byNone = await admin(['ban', email, 'none'])
    const requested = await admin(['delete-user', email])
    const kept = await signIn(email)
    const deleted = await adminJson(['delete-user', email, '--yes'])

    expect(banned.output).toMatch(/\tbanned until \d{4}-.*Z\n$/)
    expect(lifted.output).toMatch(/\tconfirmed\n$/)
    expect(byNone.output).toMatch(/\tconfirmed\n$/)
    expect([during.body.error_code, after.status]).toEqual(['user_banned', 200])
    expect([requested.code, requested.output]).toEqual([2, expect.stringContaining('--yes')])
    expect(kept.status).toBe(200)
    expect(deleted).toEqual({ id: after.body.user.id, deleted: true })
    expect((await signIn(email)).body.error_code).toBe('invalid_credentials')
  })

  it('keeps the row of a soft-deleted user', async () => {
    const { id } = await adminJson(['create-user', 'dora@command.test'])

    await admin(['delete-user', id, '--soft'])
    const { users } = await adminJson(['list', '--limit', '1'])

    expect(users).toEqual([expect.objectContaining({ id, deletedAt: expect.any(String) })])
  })

  it('writes all personal data of a user, and erases it', async () => {
    const { id } = await adminJson(['create-user', 'flora@command.test', '--confirm'])

    const { output } = await admin(['export-user', 'flora@command.test'])
    const refused = await admin(['erase-user', id])
    const erased = await admin(['erase-user', 'flora@command.test', '--yes'])
    const after = await admin(['export-user', id])

    expect(JSON.parse(output)).toMatchObject({ user: { id, email: 'flora@command.test' } })
    expect([refused.code, refused.output]).toEqual([2, expect.stringContaining('--yes')])
    expect([erased.code, erased.output]).toEqual([0, `${id}\terased\n`])
    expect([after.code, after.output]).toEqual([1, expect.stringContaining('User not found')])
  })

  it('lists audit entries by action, actor, user and time', async () => {
    const { id } = await adminJson(
      ['create-user', 'ida@command.test', '--confirm', '--password'],
      password,
    )
    await signIn('ida@command.test')

    const by = await admin(['audit', '--by', 'ida@command.test'])
    const about = await adminJson([
      'audit',
      'action:signed',
      '--about',
      id,
      '--since',
      '2020-01-01',
    ])
    const later = await adminJson(['audit', '--about', id, '--since', '2100-01-01'])

    expect(by.output).toMatch(/^\S+Z\tlogin\tida@command\.test\t-\t\S+\t\S+\n$/)
    expect(about.entries).toMatchObject([{ action: 'user_signedup', actorRole: 'cli', userId: id }])
    expect(later.entries).toEqual([])
  })

  it('has the actor `cli` in the audit log', async () => {
    await adminJson(['create-user', 'gerda@command.test'])

    const { output: token } = await admin(['token'])
    const { body } = await ask(server.url, 'GET', '/admin/audit?query=author:cli&per_page=2', {
      token: token.trim(),
    })

    // The issue of the token is recorded, too.
    expect(body[0].payload).toMatchObject({ action: 'service_token_issued' })
    expect(body[1].payload).toMatchObject({
      actor_username: 'cli',
      action: 'user_signedup',
      traits: { user_email: 'gerda@command.test' },
    })
  })

  it('logs its actions where entries are only written to the log', async () => {
    const logAlone = { AUTH_AUDIT_LOG_DISABLE_POSTGRES: 'true' }
    const options = environmentFor(database.url, logAlone)

    const { output } = await runCli(['admin', 'create-user', 'jana@command.test'], options)

    expect(output).toMatch(/"action":"user_signedup".*"actor_username":"cli".*"audit_event"/)
    expect(output.match(/"auth_audit_event".*/)?.[0]).not.toContain('jana@')
  })

  it('lists users, a page at a time', async () => {
    for (const name of ['x1', 'x2', 'x3']) await adminJson(['create-user', `${name}@list.test`])

    const first = await adminJson(['list', '@list', '--limit', '2'])
    const rest = await admin(['list', '@list', '--limit', '2', '--cursor', first.nextCursor])

    expect(first.users.map(({ email }: { email: string }) => email)).toEqual([
      'x3@list.test',
      'x2@list.test',
    ])
    expect(rest.output).toMatch(/^\S+\tx1@list\.test\t[^\n]*\n$/)
    expect((await admin(['list', '--limit', '2'])).output).toContain('There are more: --cursor ')
    const { users } = await adminJson(['list', '--email-prefix', 'X2@li'])
    expect(users).toEqual([expect.objectContaining({ email: 'x2@list.test' })])
  })

  it('creates sign-in links, and tokens for the admin API', async () => {
    await adminJson(['create-user', 'edda@command.test', '--confirm'])

    const link = await adminJson(['link', 'magiclink', 'edda@command.test'])
    const { output } = await admin(['token', '--role', 'svc_admin', '--lifetime', '10m'])

    const { pathname, search } = new URL(link.actionLink)
    const followed = await fetch(server.url + pathname + search, { redirect: 'manual' })
    expect(followed.headers.get('location')).toContain('access_token=')
    const listed = await ask(server.url, 'GET', '/admin/users', { token: output.trim() })
    expect(listed.status).toBe(200)
  })

  it('reports that a link created its user', async () => {
    const make = () => admin(['link', 'magiclink', 'new@command.test'])

    expect((await make()).output).toContain('No user had new@command.test: the user ')
    expect((await make()).output).not.toContain('No user had')
  })

  it.each([
    ['what it does not know', ['fly'], 'unknown: admin fly'],
    ['nothing to do', [], 'which action?'],
    ['what every object has', ['constructor'], 'unknown: admin constructor'],
    ['no user', ['ban'], 'admin ban: expects a user'],
    ['a duration without a unit of time', ['ban', 'ada', '24x'], 'such as 24h, or none'],
    ['too many words', ['delete-user', 'a@x.test', 'b@x.test'], 'expects one user'],
    ['an unknown flag', ['list', '--all'], 'unknown option --all'],
    ['a password on the command line', ['create-user', 'a@x.test', '--password=x'], '--password'],
    ['a limit that is no number', ['list', '--limit', 'many'], '--limit must be a number'],
    ['a limit of what happened', ['audit', '--limit', '-1x'], '--limit'],
    ['no password', ['create-user', 'a@x.test', '--password'], 'Password: no value was entered'],
    ['a role that administers nothing', ['token', '--role', 'anon'], '--role has to be one of'],
    ['a token without a lifetime', ['token', '--lifetime', 'long'], '--lifetime'],
    ['a token for eleven years', ['token', '--lifetime', '96360h'], '--lifetime can be at most'],
    [
      'a link of no type',
      ['link', 'reset', 'a@command.test'],
      'admin link: TYPE must be one of signup, invite, magiclink',
    ],
    [
      'a link without the new address',
      ['link', 'email_change_new', 'a@command.test'],
      'admin link: --new-email has to be',
    ],
    ['a malformed address', ['create-user', 'x@@command.test'], 'Unable to validate email address'],
    [
      'a word that is no address',
      ['create-user', 'notmail'],
      'notmail is neither an email address nor a phone number',
    ],
    ['a word that names no user', ['ban', 'ada'], 'ada is neither an id, an email address nor a'],
    [
      'a misspelled action',
      ['audit', 'action:user_delted'],
      'no action contains user_delted; did you mean action:user_deleted?',
    ],
    ['an unknown type', ['audit', 'type:foo'], 'no type contains foo. See docs/audit.md'],
    ['a cursor of nobody’s', ['list', '--cursor', 'x'], '--cursor belongs to another list'],
    ['a limit out of bounds', ['list', '--limit', '0'], '--limit has to be from 1'],
    ['a time that is none', ['audit', '--since', 'yesterday'], 'admin audit: --since has to be'],
    ['no change', ['update-user', 'a@x.test'], 'admin update-user: nothing to change'],
  ])('rejects %s, with 2', async (_case, args, expected) => {
    const { code, output } = await admin(args)

    expect(code).toBe(2)
    expect(output).toContain(expected)
  })

  it.each([['nobody', ['ban', 'nobody@command.test'], 'User not found: nobody@command.test']])(
    'prints a message for %s, with 1',
    async (_case, args, expected) => {
      const { code, output } = await admin(args)

      expect(code).toBe(1)
      expect(output).toContain(expected)
      expect(output.trim().split('\n')).toHaveLength(1)
    },
  )
})

describe.skipIf(!hasTerminal())('latchkey admin on a terminal', () => {
  it('prompts for the password without echo, and prints a table', async () => {
    const email = 'fay@command.test'

    const { output, code } = await admin(['create-user', email, '--confirm', '--password'], {
      wrap: onTerminal,
      input: `${password}\n`,
    })

    const lines = output.trim().split(/\r?\n/)
    expect(code).toBe(0)
    expect(output).toContain('Password: ')
    expect(lines.at(-2)).toMatch(/^id +email +phone +role +created +state$/)
    expect(lines.at(-1)).toMatch(
      /^[0-9a-f-]{36} {2}fay@command\.test +- +authenticated +\S+ +confirmed$/,
    )
    expect((await signIn(email)).status).toBe(200)
  })

  it('prompts before an erasure, and accepts only yes', async () => {
    const email = 'hanna@command.test'
    const { id } = await adminJson(['create-user', email])
    const erase = (input: string) => admin(['erase-user', email], { wrap: onTerminal, input })

    const declined = await erase('no\n')
    const found = await adminJson(['export-user', id])
    const erased = await erase('yes\n')

    expect([declined.code, declined.output]).toEqual([
      2,
      expect.stringContaining('nothing was changed'),
    ])
    expect(found.user.email).toBe(email)
    expect([erased.code, erased.output]).toEqual([0, expect.stringContaining('Type yes: ')])
    expect((await admin(['export-user', id])).code).toBe(1)
  })
})
