import { expect, it, onTestFinished, vi } from 'vitest'
import type { SettingsSources } from '../settings/settings-files.ts'
import { commandOf, commandUsages, isHelpRequested, optionsOf, unknownCommand } from '../usage.ts'
import { admin } from './admin.ts'
import { clients } from './clients.ts'
import { dev } from './dev.ts'
import { doctor } from './doctor.ts'
import { init } from './init.ts'
import { keys } from './keys.ts'
import { lists } from './lists.ts'
import { mail } from './mail.ts'
import { migrate } from './migrate.ts'
import { outbox } from './outbox.ts'
import { providers } from './providers.ts'
import { serve } from './serve.ts'
import { sql } from './sql.ts'
import { printVersion } from './version.ts'

type Command = (args: string[], sources: SettingsSources) => unknown

const sources = { own: {}, folder: null }

it.each<[Command, string[], string]>([
  [serve, ['--host=0.0.0.0'], 'serve: unknown option --host; set AUTH_API_HOST in the environment'],
  [serve, ['--jwt-secret', 'x'], 'serve: unknown option --jwt-secret; set AUTH_JWT_SECRET in the'],
  [serve, ['-p', '1'], 'serve: unknown option -p'],
  [dev, ['now'], 'dev: expects no further word'],
  [init, ['app'], 'init: expects no further word'],
  [doctor, ['--jsn'], 'doctor: unknown option --jsn'],
  [printVersion, ['--json'], 'version: unknown option --json'],
  [migrate, ['stauts'], 'unknown: migrate stauts; did you mean migrate status?'],
  [migrate, ['--dry-run'], 'migrate: unknown option --dry-run'],
  [migrate, ['plan', 'now'], 'migrate plan: expects no further word'],
  [keys, ['list', 'all'], 'keys list: expects no further word'],
  [keys, ['retire', 'one', 'two'], 'keys retire: expects no further word'],
  [keys, ['__proto__'], 'unknown: keys __proto__'],
  [mail, ['preview', '--lang', 'de'], 'mail: unknown option --lang'],
  [outbox, ['list', '--sttaus', 'sent'], 'unknown option --sttaus; did you mean --status?'],
  [outbox, ['list', 'sent'], 'outbox list: expects no further word'],
  [sql, ['fromat'], 'unknown: sql fromat; did you mean sql format?'],
  [sql, [], 'sql: which action?'],
  [sql, ['format', '--chek'], 'sql format: unknown option --chek; did you mean --check?'],
  [sql, ['config', 'one', 'two'], 'sql config: expects no further word'],
  [admin, ['link', 'foo', 'a@x.test'], 'admin link: TYPE must be one of signup, invite'],
  [admin, ['update-user', 'a@x.test'], 'admin update-user: nothing to change'],
  [admin, ['create', 'a@x.test'], 'unknown: admin create; did you mean admin create-user?'],
  [keys, ['rotate', '--json'], 'keys rotate: --json is an option of keys list'],
  [migrate, ['--json'], 'migrate: --json is an option of migrate status'],
  [migrate, ['plan', '--exit-code'], 'migrate plan: --exit-code is an option of migrate status'],
  [
    outbox,
    ['discard', '1', '--status=failed', '--yes'],
    'outbox discard: --status is an option of',
  ],
  [outbox, ['--yes'], 'outbox list: --yes is an option of outbox discard'],
  [lists, ['list', '--public'], 'lists list: --public is an option of lists create, lists update'],
  [clients, ['rotate', 'x', '--redirect-uri=https://x.test'], 'clients rotate: --redirect-uri is'],
  [providers, ['add', 'custom:x', '--secret'], 'providers add: --secret is an option of providers'],
  [
    admin,
    ['ban'],
    'admin ban: expects a user and, optionally, a duration such as 24h; without one',
  ],
  [admin, ['token', 'now'], 'admin token: expects no arguments'],
  [admin, ['lst'], 'unknown: admin lst; did you mean admin list?'],
  [
    admin,
    ['list', '--limit', '-1'],
    'admin list: --limit needs a value. Write one that begins with a dash as --limit=-VALUE',
  ],
  [admin, ['list', '--limit'], 'admin list: --limit needs a value'],
  [admin, ['list', '--json=yes'], 'admin list: --json takes no value'],
  [admin, ['list', '--limt', '3'], 'admin list: unknown option --limt; did you mean --limit?'],
])('H32: %o refuses %j before it does anything', async (command, args, expected) => {
  await expect(async () => command(args, sources)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining(expected),
  })
})

const groups: Record<string, Command> = {
  admin,
  clients,
  keys,
  lists,
  migrate,
  outbox,
  providers,
}
const actions = commandUsages
  .map(({ name }) => name)
  .filter((name) => Object.hasOwn(groups, name.split(' ')[0] ?? ''))

it.each(actions)('%s accepts the options of its usage, and rejects all others', async (name) => {
  const [group = '', ...action] = name.split(' ')
  const own = optionsOf(name) ?? new Set()
  const others = new Set(actions.flatMap((other) => [...(optionsOf(other) ?? [])]))
  // Without settings, a production environment runs no command. Development would run it with the
  // database in `.latchkey/`.
  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const option of others) {
    const attempt = (...args: string[]) =>
      rejectionOf(async () => groups[group]?.([...action, ...args], sources))
    const flag = await attempt(`--${option}`)
    const { name: type, message } = / needs a value/.test(flag.message)
      ? await attempt(`--${option}=x`)
      : flag

    const isRejected = / is an option of |: unknown option /.test(message)
    expect(isRejected, `${name} --${option}: ${message}`).toBe(!own.has(option))
    if (isRejected) expect(type).toBe('UsageError')
  }
})

async function rejectionOf(run: () => Promise<unknown>): Promise<Error> {
  try {
    await run()
  } catch (error) {
    return error as Error
  }
  throw new Error('not rejected')
}

it('H32: finds the command that a mistaken line means, and requests for help', () => {
  expect(commandOf(['admin', 'ban', 'x'])).toBe('admin ban')
  expect(commandOf(['admin', 'fly'])).toBe('admin')
  expect(commandOf(['constructor'])).toBe('')
  expect(isHelpRequested(['ada', '--help'])).toBe(true)
  expect(isHelpRequested(['--', '--help'])).toBe(false)
  expect(unknownCommand('', '--config=f').message).toBe(
    '--config: options follow the command, as in latchkey COMMAND --config=f',
  )
  expect(unknownCommand('', 'constructor').message).toBe('unknown command: constructor')
})
