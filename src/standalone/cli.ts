#!/usr/bin/env node
import { ConfigError } from '../platform/errors/config-error.ts'
import { requireNode } from '../platform/kit/require-node.ts'
import { findCodeConfig, takeConfigFile } from './code-config.ts'
import { admin } from './commands/admin.ts'
import { dev } from './commands/dev.ts'
import { doctor } from './commands/doctor.ts'
import { importFrom } from './commands/import.ts'
import { init } from './commands/init.ts'
import { keys } from './commands/keys.ts'
import { lists } from './commands/lists.ts'
import { mail } from './commands/mail.ts'
import { migrate } from './commands/migrate.ts'
import { openapi } from './commands/openapi.ts'
import { outbox } from './commands/outbox.ts'
import { serve } from './commands/serve.ts'
import { sql } from './commands/sql.ts'
import { printVersion } from './commands/version.ts'
import { why } from './commands/why.ts'
import { describeError } from './describe-error.ts'
import { readSources, type SettingsSources, takeConfigDir } from './settings-files.ts'
import { textForTerminal } from './terminal-text.ts'
import {
  acceptsConfigFile,
  commandOf,
  help,
  helpOf,
  isCommand,
  isHelpRequested,
  unknownCommand,
  usageOf,
} from './usage.ts'
import { UsageError } from './usage-error.ts'

const commands: Record<string, (args: string[], sources: SettingsSources) => Promise<void> | void> =
  {
    init,
    serve,
    dev,
    migrate,
    keys,
    mail,
    outbox,
    lists,
    admin,
    import: importFrom,
    doctor,
    why,
    openapi,
    sql,
    version: printVersion,
    help: (args) => printHelp(args),
    '--help': (args) => printHelp(args),
    '-h': (args) => printHelp(args),
    '--version': printVersion,
    '-v': printVersion,
  }

// The reader of a command's output may close the pipe early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

async function main([name = 'serve', ...args]: string[]): Promise<void> {
  requireNode()
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw unknownCommand('', name)
  // With a help option, a command does nothing but print its help.
  if (isHelpRequested(args)) return printHelp([name, ...args])
  const { folder, rest } = takeConfigDir(args)
  const own = { ...process.env }
  // Settings of the files that the environment does not contain.
  if (needsSettings.has(name)) Object.assign(process.env, readSources({ own, folder }))
  const { words, code } = await takeCodeConfig(name, rest)
  await command(words, { own, folder, code })
  // Modules of the application may keep the process alive.
  if (code) process.stdout.write('', () => process.exit())
}

async function takeCodeConfig(name: string, args: string[]) {
  if (!acceptsConfigFile(name)) return { words: args, code: null }
  const { file, rest } = takeConfigFile(args)
  return { words: rest, code: await findCodeConfig(file, process.env) }
}

const needsSettings = new Set(
  Object.keys(commands).filter(
    (name) => isCommand(name) && !['help', 'init', 'openapi', 'sql', 'version'].includes(name),
  ),
)

function printHelp(args: string[]): void {
  const words = args.filter((arg) => !arg.startsWith('-') && arg !== 'help')
  const command = commandOf(words)
  if (words[0] !== undefined && command === '') throw unknownCommand('', words[0])
  process.stdout.write(command === '' ? help() : helpOf(command))
}

/** Returns an expected error as a sentence; only an unexpected one includes its stack. */
function explain(error: unknown, args: readonly string[]): string {
  if (error instanceof UsageError) return `${error.message}\n\n${usageOf(commandOf(args))}`
  if (!(error instanceof Error)) return `${String(error)}\n`
  const isExpected =
    error instanceof ConfigError || expectedErrors.has(error.name) || isRefusedFile(error)
  const remedy = error.name === 'FolderInUseError' && args[0] !== 'dev' ? besideDev : ''
  return `${isExpected ? describeError(error) : (error.stack ?? error.message)}\n${remedy}`
}

/** Whether the operating system refused to write a file, which the message names. */
const isRefusedFile = (error: NodeJS.ErrnoException): boolean =>
  error.path !== undefined && refusals.has(error.code ?? '')

const refusals = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'])

const besideDev =
  'While latchkey dev runs, its admin endpoints (/admin/users) do the same: it prints a token for them on a terminal.\n'

const expectedErrors = new Set([
  'AuthError',
  'CommandError',
  'ForeignSchemaError',
  'FolderInUseError',
  'EmbeddedPostgresMissingError',
  'HashingPackageMissingError',
  'PasswordScoreMissingError',
  'ListenError',
  'MissingTablesError',
  'SourceError',
  'SqlFormatterConfigError',
  'SqlFormatterMissingError',
  'TelemetryStartError',
  'UnsupportedNodeError',
])

const given = process.argv.slice(2)
let hasEnded = false
main(given)
  .catch((error: unknown) => {
    process.stderr.write(textForTerminal(explain(error, given)))
    process.exitCode = error instanceof UsageError ? 2 : 1
  })
  .finally(() => {
    hasEnded = true
  })
// Settings in code may end the process, or wait for an event that nothing causes.
process.on('exit', (code) => {
  if (hasEnded || code !== 0) return
  process.stderr.write('The process ended before the command did.\n')
  process.exitCode = 1
})
