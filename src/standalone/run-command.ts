import { requireNode } from '../platform/kit/require-node.ts'
import { UsageError } from './command-error.ts'
import { printVersion } from './commands/version.ts'
import { explain } from './explain-error.ts'
import { findCodeConfig, takeConfigFile } from './settings/code-config.ts'
import { readSources, type SettingsSources, takeConfigDir } from './settings/settings-files.ts'
import { textForTerminal } from './terminal/print-result.ts'
import {
  acceptsConfigFile,
  commandOf,
  help,
  helpOf,
  isCommand,
  isHelpRequested,
  unknownCommand,
} from './usage.ts'
import { isWorkerProcess } from './workers/worker-process.ts'

type Command = (args: string[], sources: SettingsSources) => Promise<void> | void

/** Loads the code of each command only where it runs. */
const commands: Record<string, () => Promise<Command> | Command> = {
  init: async () => (await import('./commands/init.ts')).init,
  serve: async () => (await import('./commands/serve.ts')).serve,
  dev: async () => (await import('./commands/dev.ts')).dev,
  migrate: async () => (await import('./commands/migrate.ts')).migrate,
  keys: async () => (await import('./commands/keys.ts')).keys,
  mail: async () => (await import('./commands/mail.ts')).mail,
  outbox: async () => (await import('./commands/outbox.ts')).outbox,
  lists: async () => (await import('./commands/lists.ts')).lists,
  clients: async () => (await import('./commands/clients.ts')).clients,
  providers: async () => (await import('./commands/providers.ts')).providers,
  admin: async () => (await import('./commands/admin.ts')).admin,
  import: async () => (await import('./commands/import.ts')).importFrom,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  why: async () => (await import('./commands/why.ts')).why,
  openapi: async () => (await import('./commands/openapi.ts')).openapi,
  sql: async () => (await import('./commands/sql.ts')).sql,
  version: () => printVersion,
  help: () => printHelp,
  '--help': () => printHelp,
  '-h': () => printHelp,
  '--version': () => printVersion,
  '-v': () => printVersion,
}

// The reader of a command's output may close the pipe early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

async function main([name = 'serve', ...args]: string[]): Promise<void> {
  requireNode()
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!load) throw unknownCommand('', name)
  // With a help option, a command does nothing but print its help.
  if (isHelpRequested(args)) return printHelp([name, ...args])
  const { folder, rest } = takeConfigDir(args)
  const own = { ...process.env }
  // Settings of the files that the environment does not contain.
  // A worker receives the settings of the primary process.
  if (needsSettings.has(name) && !isWorkerProcess())
    Object.assign(process.env, readSources({ own, folder }))
  const { words, code } = await takeCodeConfig(name, rest)
  const command = await load()
  await command(words, { own, folder, code })
}

async function takeCodeConfig(name: string, args: string[]) {
  if (!acceptsConfigFile(name)) return { words: args, code: null }
  const { file, rest } = takeConfigFile(args)
  mayLoadApplication = true
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

const given = process.argv.slice(2)
let hasEnded = false
/** Whether modules of the application may keep the process alive. */
let mayLoadApplication = false
main(given)
  .catch((error: unknown) => {
    process.stderr.write(textForTerminal(explain(error, given)))
    process.exitCode = error instanceof UsageError ? 2 : 1
  })
  .finally(() => {
    hasEnded = true
    if (mayLoadApplication) exitAfterOutput()
  })

/** Ends the process when everything that the command printed has been written. */
function exitAfterOutput(): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit()))
}

// Settings in code may end the process, or wait for an event that nothing causes.
process.on('exit', (code) => {
  if (hasEnded || code !== 0) return
  process.stderr.write('The process ended before the command did.\n')
  process.exitCode = 1
})
