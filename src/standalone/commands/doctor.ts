import type { Config } from '../../config/config.ts'
import type { SettingStatus } from '../../config/setting.ts'
import { version } from '../../kit/version.ts'
import { migrationStatus } from '../../persistence/migration-status.ts'
import { openConfiguredDatabase } from '../../runtime.ts'
import { examineEnvironment } from '../environment.ts'
import type { GivenSetting } from '../environment-remarks.ts'
import { inWords } from '../in-words.ts'
import { refuseArguments } from '../parse-flags.ts'

/** `latchkey doctor`: says what is wrong, what is odd, and which settings have no effect yet. */
export async function doctor(args: string[]): Promise<void> {
  refuseArguments('doctor', args)
  const checked = examineEnvironment(process.env)
  const findings = [
    ...checked.problems.map(({ path, message }) => `problem: ${path} ${message}`),
    ...[...checked.remarks, ...checked.warnings].map((warning) => `warning: ${warning}`),
  ]
  const lines = [
    `latchkey ${version}, node ${process.version}`,
    ...describeSettings(checked.given, findings),
    ...findings,
  ]
  if (checked.problems.length > 0) process.exitCode = 1
  else {
    lines.push(await describeDatabase(checked.resolved), ...(await describeMail(checked.resolved)))
  }
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

/** What is given and has no effect, and no finding tells of: a switch that is off, as a rule. */
const remarks: Record<Exclude<SettingStatus, 'live'>, string> = {
  'offers-later': 'not built yet: no effect in this version',
  unsupported: 'not supported',
}

function describeSettings(given: readonly GivenSetting[], findings: readonly string[]): string[] {
  const told = new Set(findings.join(' ').match(/\w+/g))
  return given.flatMap(({ name, status }) =>
    status === 'live' || told.has(name) ? [] : [`${status}: ${name} (${remarks[status]})`],
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
