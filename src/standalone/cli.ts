#!/usr/bin/env node
import { ConfigError } from '../errors/config-error.ts'
import { admin } from './commands/admin.ts'
import { dev } from './commands/dev.ts'
import { doctor } from './commands/doctor.ts'
import { importFrom } from './commands/import.ts'
import { keys } from './commands/keys.ts'
import { mail } from './commands/mail.ts'
import { migrate } from './commands/migrate.ts'
import { outbox } from './commands/outbox.ts'
import { serve } from './commands/serve.ts'
import { printVersion } from './commands/version.ts'
import { loadEnvironmentFile } from './environment-file.ts'
import { inWords } from './in-words.ts'
import { UsageError } from './usage-error.ts'

const usage = `Usage: latchkey [command]

  (none), serve           migrate the database and serve
  dev                     serve on 127.0.0.1, with an embedded database and keys made once
  migrate                 bring the database schema up to date
  migrate status          list the steps taken and to come
  migrate plan            print the statements of the steps to come
  keys list               list the keys that Latchkey made for access tokens
  keys rotate             publish a new key, which signs after the overlap
  keys retire ID          believe no token of a key any more
  mail preview [FOLDER]   write all mails as files to look at, into mail-preview/
  outbox list             list messages, the newest first: --status, --limit, --before, --json
  outbox retry ID         have a message tried at once that waits or was given up
  outbox preview ID       show what would be sent, with its links and codes
  admin list [TEXT]       list users, the newest first: --email-prefix, --limit, --cursor
  admin create-user USER  make a user by email or phone: --role, --name, --confirm, --password, --id
  admin update-user USER  change a user: the same, --email, --phone; users are named by id, email or phone
  admin delete-user USER  delete a user for good, or with --soft keep a record without the person
  admin export-user USER  write all that is stored about a person, as JSON
  admin erase-user USER   remove all of it for good: asks first, or --yes
  admin ban USER [24h]    ban a user for a time, or for good; admin unban USER lifts it
  admin link TYPE EMAIL   make a link to hand over: --redirect-to, --new-email
  admin audit [QUERY]     list what happened: --by, --about (users), --since, --until, --limit, --cursor
  admin token             make a token for administration: --role, --lifetime 1h
                          all of admin: --json; passwords are asked for, or come from standard input
  import users FILE       store the users of a file of JSON lines or CSV: --dry-run, --report FILE,
                          --format jsonl|csv (- reads standard input), --json; may be run again
  import gotrue [URL]     bring users, factors and sessions over from a GoTrue or Supabase database:
                          --dry-run, --prune, --schema auth, --report FILE, --json; may be run again;
                          the URL may come from GOTRUE_DB_DATABASE_URL
  doctor                  check configuration and database, and name settings without effect
  version                 print the version

Settings come from the environment and from .env: see docs/configuration.md.
`

const commands: Record<string, (args: string[]) => Promise<void> | void> = {
  serve,
  dev,
  migrate,
  keys,
  mail,
  outbox,
  admin,
  import: importFrom,
  doctor,
  version: printVersion,
}

async function main([name = 'serve', ...args]: string[]): Promise<void> {
  if (name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(usage)
    return
  }
  const command = commands[name]
  if (!command) throw new UsageError(`unknown command: ${name}`)
  loadEnvironmentFile()
  await command(args)
}

/** What a person can do something about is said in a sentence; only the unexpected shows its stack. */
function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${usage}`
  if (!(error instanceof Error)) return `${String(error)}\n`
  const isExpected = error instanceof ConfigError || expectedErrors.has(error.name)
  return `${isExpected ? inWords(error) : (error.stack ?? error.message)}\n`
}

const expectedErrors = new Set([
  ...['AuthError', 'ForeignSchemaError', 'FolderInUseError', 'EmbeddedPostgresMissingError'],
  'ListenError',
  'SourceError',
])

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(explain(error))
  process.exitCode = error instanceof UsageError ? 2 : 1
})
