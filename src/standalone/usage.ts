import { generatedLinkTypes } from '../endpoints/generate-link/generate-link.endpoint.ts'
import { mainName } from '../platform/config/environment-names.ts'
import { nearestName } from '../platform/config/nearest-name.ts'
import type { ConfigPath } from '../platform/config/setting.ts'
import { settings } from '../platform/config/settings.ts'
import { UsageError } from './command-error.ts'
import { templates } from './write-template.ts'

interface CommandUsage {
  /** The words and options, as in `USER [--soft]`. */
  takes: string
  does: string
}

const list = '[--limit N] [--cursor CURSOR] [--json]'
const keys = '[--token-endpoint-auth-method METHOD] [--jwks FILE|--jwks-uri URL]'
const logout = '[--post-logout-redirect-uri URI]… [--backchannel-logout-uri URL]'
const provider =
  '[--discovery-url URL] [--jwks-uri URL] [--scope SCOPE]… [--acceptable-client-id ID]… ' +
  '[--authorization-param NAME=VALUE]… [--claim NAME=CLAIM]… [--custom-claim CLAIM]… ' +
  '[--email-optional|--email-required] [--enable|--disable]'
const endpoints = '--authorization-url URL --token-url URL --userinfo-url URL'
const person = '[--role ROLE] [--name NAME] [--confirm] [--password]'

/** Every command, in the order in which help lists them. */
const commands: Readonly<Record<string, CommandUsage>> = {
  serve: {
    takes: '[--workers N|auto]',
    does: 'migrate the database and serve; the default command. SIGHUP reloads the settings',
  },
  dev: {
    takes: '',
    does: 'serve on 127.0.0.1, with an embedded database, unless .env or the environment sets one, and keys made once',
  },
  init: {
    takes: `[--no-start] [--template ${templates.join('|')}]`,
    does: 'write a small application with sign-up and sign-in into this folder, and start it; or write that of a framework',
  },
  migrate: { takes: '', does: 'apply pending migrations to the database schema' },
  'migrate status': {
    takes: '[--exit-code] [--json]',
    does: 'list the applied and pending migrations; exits with 0, and with --exit-code with 3 if migrations are pending',
  },
  'migrate plan': {
    takes: '',
    does: 'print the pending migrations as a script for psql, with the record of each, and apply none',
  },
  'keys list': {
    takes: '[--json]',
    does: 'list the generated signing keys of access tokens, and the root keys with the values that they seal; latchkey keys does the same',
  },
  'keys rotate': {
    takes: '',
    does: 'publish a new key, which signs after the overlap; the first key signs at once',
  },
  'keys retire': { takes: 'ID', does: 'no longer accept tokens of a key' },
  'keys reseal': {
    takes: '',
    does: 'seal stored values with the current root key, so that former ones can be removed',
  },
  'mail preview': {
    takes: '[FOLDER]',
    does: 'write all mails as files into mail-preview/',
  },
  'outbox list': {
    takes: '[--status STATUS] [--limit N] [--before ID] [--json]',
    does: 'list messages, the newest first; latchkey outbox does the same',
  },
  'outbox retry': {
    takes: 'ID [--json]',
    does: 'retry a waiting or failed message at once',
  },
  'outbox discard': {
    takes: 'ID [--yes] [--json]',
    does: 'delete a waiting or failed message after a confirmation; it is not sent',
  },
  'outbox preview': {
    takes: 'ID [--json]',
    does: 'print a message as it would be sent, with its links and codes',
  },
  'lists list': {
    takes: '[--json]',
    does: 'list the subscriber lists of the subscription pages; latchkey lists does the same',
  },
  'lists create': {
    takes: 'NAME [--description TEXT] [--position N] [--public|--private] [--json]',
    does: 'create a subscriber list, which is private by default; --public makes it visible to all clients',
  },
  'lists update': {
    takes: 'ID [--name NAME] [--description TEXT] [--position N] [--public|--private] [--json]',
    does: 'change a subscriber list; an empty text deletes the value',
  },
  'lists remove': { takes: 'ID [--json]', does: 'remove a subscriber list' },
  'clients list': {
    takes: '[--json]',
    does: 'list the clients of the OAuth server; latchkey clients does the same',
  },
  'clients create': {
    takes: `NAME [--public] [--redirect-uri URI]… [--grant-type TYPE]… [--scope SCOPE]… ${keys} ${logout} [--json]`,
    does: 'create a client, and print its secret, which is not stored; options with … may be repeated; --jwks is a file with its public keys',
  },
  'clients show': { takes: 'ID [--json]', does: 'print a client of the OAuth server' },
  'clients rotate': {
    takes: 'ID [--json]',
    does: 'replace the secret of a client, and print the new one; the former is rejected at once',
  },
  'clients delete': {
    takes: 'ID [--yes] [--json]',
    does: 'delete a client with its sessions and consents, after a confirmation',
  },
  'providers list': {
    takes: '[--type oidc|oauth2] [--json]',
    does: 'list the external providers that operators registered; latchkey providers does the same',
  },
  'providers show': { takes: 'IDENTIFIER [--json]', does: 'print a registered provider' },
  'providers add': {
    takes: `IDENTIFIER --name NAME --client-id ID (--issuer URL | ${endpoints}) ${provider} [--json]`,
    does: 'register a provider, such as custom:acme; the client secret is read from a prompt or from standard input',
  },
  'providers change': {
    takes: `IDENTIFIER [--name NAME] [--client-id ID] [--secret] [--issuer URL] [--authorization-url URL] [--token-url URL] [--userinfo-url URL] ${provider} [--json]`,
    does: 'change a registered provider; --secret reads a new client secret; running servers follow within 5 seconds',
  },
  'providers remove': {
    takes: 'IDENTIFIER [--yes] [--json]',
    does: 'delete a registered provider, after a confirmation; identities of users stay',
  },
  'admin list': {
    takes: `[TEXT] [--email-prefix TEXT] ${list}`,
    does: 'list users, the newest first; with --email-prefix by address',
  },
  'admin create-user': {
    takes: `EMAIL|PHONE ${person} [--id ID] [--json]`,
    does: 'create a user; the password is read from a prompt or from standard input',
  },
  'admin update-user': {
    takes: `USER [--email EMAIL] [--phone PHONE] ${person} [--json]`,
    does: 'change a user, named by id, email or phone',
  },
  'admin delete-user': {
    takes: 'USER [--soft] [--yes] [--json]',
    does: 'delete a user permanently, after a confirmation; --soft keeps a record without personal data',
  },
  'admin export-user': {
    takes: 'USER [--json]',
    does: 'write everything stored about a user, as JSON with and without --json',
  },
  'admin erase-user': {
    takes: 'USER [--yes] [--json]',
    does: 'delete everything stored about a user permanently, after a confirmation',
  },
  'admin ban': {
    takes: 'USER [DURATION] [--json]',
    does: 'ban a user for a duration such as 24h, or permanently; none lifts a ban',
  },
  'admin unban': { takes: 'USER [--json]', does: 'lift a ban' },
  'admin link': {
    takes: 'TYPE EMAIL [--redirect-to URL] [--new-email EMAIL] [--password] [--json]',
    does: `create a link to pass on, and for an address without a user the user; TYPE is ${generatedLinkTypes.join(', ')}`,
  },
  'admin audit': {
    takes: `[QUERY] [--by USER] [--about USER] [--since TIME] [--until TIME] ${list}`,
    does: 'list audit entries; a query is author:ada, action:login or type:team',
  },
  'admin token': {
    takes: '[--role ROLE] [--lifetime 1h] [--json]',
    does: 'issue a token for administration',
  },
  'import users': {
    takes: 'FILE|- [--format jsonl|csv] [--dry-run] [--report FILE] [--json]',
    does: 'store the users of a file; may be run again',
  },
  'import gotrue': {
    takes:
      '[URL] [--dry-run] [--prune] [--prune-share 10] [--replace-root-key] [--schema auth] [--report FILE] [--json]',
    does: 'import users from GoTrue or Supabase; the URL may be set in GOTRUE_DB_DATABASE_URL',
  },
  doctor: {
    takes: '[--dkim-selector NAME] [--advisories FILE] [--json]',
    does: 'check version, configuration, database, clock, keys, mail, its DNS records and providers, and print remedies',
  },
  why: {
    takes: 'REQUEST_ID [--json]',
    does: 'print the decisions about a request in the last day, and their rules',
  },
  openapi: {
    takes: '[--base-path /auth]',
    does: 'write the endpoints as an OpenAPI 3.1 document',
  },
  'sql format': {
    takes: '[FILE…] [--check | --write] [--config FILE|JSON]',
    does: 'format SQL files or standard input by .sql-formatter.json',
  },
  'sql config': {
    takes: '[FILE]',
    does: 'report errors in a .sql-formatter.json, or print the resulting options',
  },
  version: { takes: '', does: 'print the version, as --version does' },
  help: { takes: '[COMMAND]', does: 'print the usage of a command, as COMMAND --help does' },
}

const names = Object.keys(commands)

/** Reports whether a command uses settings in code, by `--config`. */
export const acceptsConfigFile = (command: string): boolean =>
  [
    'admin',
    'clients',
    'doctor',
    'import',
    'keys',
    'lists',
    'mail',
    'migrate',
    'outbox',
    'providers',
    'why',
  ].includes(command.split(' ')[0] ?? '')

/** Each command with its full name, as in `admin list`. */
export const commandUsages: readonly (CommandUsage & { name: string })[] = Object.entries(
  commands,
).map(([name, usage]) => ({ name, ...usage }))

/** Reports whether a first word is a command, or the beginning of several. */
export const isCommand = (word: string): boolean =>
  names.some((name) => name === word || name.startsWith(`${word} `))

/**
 * Returns the command that an unfinished or mistaken line means: `admin list`, `admin`, or an empty
 * text.
 *
 * @param args the command line without `latchkey`.
 */
export function commandOf(args: readonly string[]): string {
  const [first = '', second = ''] = args
  if (Object.hasOwn(commands, `${first} ${second}`)) return `${first} ${second}`
  return isCommand(first) ? first : ''
}

/** Reports whether the line requests help, by an option anywhere before `--`. */
export function isHelpRequested(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  return own.some((arg) => arg === '--help' || arg === '-h')
}

/**
 * Returns the usage of a command, or of all that begin with a word; for other words, a hint to the
 * list.
 */
export function usageOf(command: string): string {
  const some = names.filter((name) => name === command || name.startsWith(`${command} `))
  if (command === '' || some.length === 0) {
    return 'Usage: latchkey [COMMAND]. `latchkey help` lists the commands.\n'
  }
  const lines = some.map((name) => `  ${lineOf(name)}\n      ${commands[name]?.does}\n`)
  return `Usage:\n${lines.join('')}`
}

/** The first settings of a server in production, with their meaning. */
const usualSettings: readonly [ConfigPath, string][] = [
  ['database.url', 'postgres://user:password@host:5432/database'],
  ['siteUrl', 'the application, where links end'],
  ['externalUrl', 'this service, as clients reach it'],
  ['jwt.secrets', 'signs access tokens: 32 bytes or more'],
  ['encryptionKeys', 'or this instead: Latchkey generates keys and rotates them'],
  ['email.smtp.host', 'the mail server'],
  ['email.smtp.port', 'its port'],
  ['email.smtp.user', 'user name at the mail server'],
  ['email.smtp.pass', 'password there'],
  ['email.from.address', 'the sender of mails'],
  ['rateLimits.header', 'behind a proxy: the header with the address of the client'],
  ['server.port', '8081 by default'],
]

/** Returns the usage of a command, and for `serve` the settings that most servers need. */
export function helpOf(command: string): string {
  if (command !== 'serve') return usageOf(command)
  const names = new Map(settings.map(({ resolvedPath, env }) => [resolvedPath, env]))
  const lines = usualSettings.map(
    ([path, what]) => `  ${mainName(names.get(path) ?? '').padEnd(24)}${what}\n`,
  )
  return `${usageOf(command)}
Settings are read from the environment and from .env. Most servers need these:
${lines.join('')}
docs/configuration.md lists all of them. \`latchkey doctor\` reports problems in the given settings.
`
}

/**
 * Returns the options that the usage of a command lists, without dashes; null for an unknown
 * command.
 */
export function optionsOf(command: string): ReadonlySet<string> | null {
  const usage = Object.hasOwn(commands, command) ? commands[command] : undefined
  return usage ? new Set(usage.takes.match(/(?<=--)[a-z][a-z-]*/g)) : null
}

/** Returns the commands of a group whose usage lists an option. */
export const commandsWithOption = (group: string, option: string): string[] =>
  names.filter((name) => name.split(' ')[0] === group && optionsOf(name)?.has(option))

const lineOf = (name: string) => `latchkey ${name} ${commands[name]?.takes}`.trimEnd()

/** Returns the list of all commands, a line for each. */
export function help(): string {
  const width = Math.max(...names.map((name) => name.length)) + 2
  const lines = names.map((name) => `  ${name.padEnd(width)}${commands[name]?.does}\n`)
  return `Usage: latchkey [COMMAND]\n\n${lines.join('')}
\`latchkey help COMMAND\` prints its usage. Settings are read from the environment, from the files of
--config-dir DIR, which every command accepts, and from .env: see docs/configuration.md. admin, clients,
doctor, import, keys, lists, mail, migrate, outbox, providers and why also use settings in code: --config FILE, or
auth.ts of this folder.
`
}

/** Commands by words that are not misspellings of them. */
const otherNames: Readonly<Record<string, string>> = {
  user: 'admin',
  users: 'admin',
  config: 'doctor',
  settings: 'doctor',
  start: 'serve',
}

/** Returns the command that a first word means: `admin audit` for `audit`; null for none. */
function commandFor(word: string, known: readonly string[]): string | null {
  if (Object.hasOwn(otherNames, word)) return otherNames[word] ?? null
  const matches = names.filter((name) => name.endsWith(` ${word}`))
  return nearestName(word, new Set(known)) ?? (matches.length === 1 ? (matches[0] ?? null) : null)
}

/** Returns the action that a word means: `create-user` for `create`; null for none. */
function actionFor(word: string, known: ReadonlySet<string>): string | null {
  const longer = [...known].filter((name) => name.startsWith(`${word}-`))
  return nearestName(word, known) ?? (longer.length === 1 ? (longer[0] ?? null) : null)
}

/**
 * Returns an error for a word that names no command.
 *
 * @param group the words before it, as in `admin`; empty for the first word.
 */
export function unknownCommand(group: string, word: string): UsageError {
  if (group === '' && word.startsWith('-')) {
    return new UsageError(
      `${word.replace(/=.*$/s, '')}: options follow the command, as in latchkey COMMAND ${word}`,
    )
  }
  const start = group === '' ? '' : `${group} `
  const known = names
    .filter((name) => name.startsWith(start))
    .map((name) => name.slice(start.length).split(' ')[0] ?? '')
  const nearest = group === '' ? commandFor(word, known) : actionFor(word, new Set(known))
  const what = group === '' ? `unknown command: ${word}` : `unknown: ${start}${word}`
  return new UsageError(nearest ? `${what}; did you mean ${start}${nearest}?` : what)
}
