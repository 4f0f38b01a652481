import type { Config } from '../../config/config.ts'
import type { SettingStatus } from '../../config/setting.ts'
import { ConfigError } from '../../errors/config-error.ts'
import { version } from '../../kit/version.ts'
import { migrationStatus } from '../../persistence/migration-status.ts'
import { openConfiguredDatabase } from '../../runtime.ts'
import { type CheckedEnvironment, checkEnvironment, readEnvironment } from '../environment.ts'
import { inWords } from '../in-words.ts'
import { refuseArguments } from '../parse-flags.ts'

/** `latchkey doctor`: says what is wrong, what is odd, and which settings have no effect yet. */
export async function doctor(args: string[]): Promise<void> {
  refuseArguments('doctor', args)
  const lines = [`latchkey ${version}, node ${process.version}`, ...describeSettings()]
  const checked = checkOrExplain(lines)
  if (checked) {
    lines.push(...[...checked.remarks, ...checked.warnings].map((warning) => `warning: ${warning}`))
    lines.push(await describeDatabase(checked.resolved), ...(await describeMail(checked.resolved)))
  }
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

function checkOrExplain(lines: string[]): CheckedEnvironment | null {
  try {
    return checkEnvironment(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.exitCode = 1
    lines.push(...error.problems.map(({ path, message }) => `problem: ${path} ${message}`))
    return null
  }
}

/** What is given and has no effect, even where something else keeps the whole from being checked. */
const remarks: Record<Exclude<SettingStatus, 'live'>, string> = {
  'protects-later': 'not built yet: refused when it asks for anything',
  'offers-later': 'not built yet: no effect in this version',
  unsupported: 'not supported',
}

function describeSettings(): string[] {
  const { given } = readEnvironment(process.env)
  return given.flatMap(({ name, status }) =>
    status === 'live' ? [] : [`${status}: ${name} (${remarks[status]})`],
  )
}

async function describeDatabase(config: Config): Promise<string> {
  try {
    const database = await openConfiguredDatabase(config)
    try {
      const { applied, pending } = await migrationStatus(database.sql, config.database)
      return `database: reached; ${applied.length} migrations applied, ${pending.length} to come`
    } finally {
      await database.close()
    }
  } catch (error) {
    process.exitCode = 1
    return `problem: database: ${inWords(error)}`
  }
}

/** Nothing where mail goes to a function, to a hook or nowhere. */
async function describeMail(config: Config): Promise<string[]> {
  const { from, send, smtp } = config.email
  if (send !== null || config.hooks.sendEmail.enabled) return []
  if (smtp.host === null || from.address === null) return []
  try {
    const { checkMailServer } = await import('../../messages/email/smtp-carrier.ts')
    await checkMailServer(config)
    return ['mail: reached; the server is ready to take messages']
  } catch (error) {
    process.exitCode = 1
    return [`problem: mail: ${inWords(error)}`]
  }
}
