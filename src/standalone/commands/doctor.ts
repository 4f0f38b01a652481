import { databaseOf } from '../../platform/config/given-config.ts'
import type { SettingStatus } from '../../platform/config/setting.ts'
import { version } from '../../platform/kit/version.ts'
import { checkMail } from '../../service/doctor/check-mail.ts'
import { findTexts } from '../../service/doctor/check-mail-records.ts'
import { checkProviders } from '../../service/doctor/check-providers.ts'
import {
  describeFinding,
  type Finding,
  problem,
  withNamesInCode,
} from '../../service/doctor/finding.ts'
import { checkAdvisories } from '../doctor/check-advisories.ts'
import { checkDatabase } from '../doctor/check-database.ts'
import { checkPackages } from '../doctor/check-packages.ts'
import { checkPageTexts } from '../doctor/check-page-texts.ts'
import { checkRedis } from '../doctor/check-redis.ts'
import { checkWorkers } from '../doctor/check-workers.ts'
import { examineCodeConfig } from '../settings/code-config.ts'
import { examineEnvironment } from '../settings/environment.ts'
import { type GivenSetting, isFormer, withPresentName } from '../settings/environment-remarks.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseFlags, rejectWords } from '../terminal/parse-flags.ts'
import { jsonForTerminal, textForTerminal } from '../terminal/print-result.ts'

const options = {
  'dkim-selector': { type: 'string', multiple: true },
  advisories: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

/**
 * `latchkey doctor`: reports problems and warnings with their remedies, and settings without
 * effect.
 */
export async function doctor(
  args: string[],
  { code }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const { positionals, values } = parseFlags('doctor', args, options)
  rejectWords('doctor', positionals)
  const checked = code ? examineCodeConfig(code, process.env) : examineEnvironment(process.env)
  const { nameOf, problems, resolved } = checked
  const remarks = [
    ...problems.map(({ path, message }) => `problem: ${path} ${message}`),
    ...[...checked.remarks, ...checked.warnings].map((warning) => `warning: ${warning}`),
  ]
  const settings = describeSettings(checked.given, remarks)
  const print = values.json ? () => {} : printLines
  const printJson = (findings: readonly Finding[]) => {
    const ofSettings = [
      ...problems.map(({ path, message }) => problem(path, message)),
      ...[...settings, ...checked.remarks, ...checked.warnings].map(settingsWarning),
    ]
    const value = { version, node: process.version, findings: [...ofSettings, ...findings] }
    if (values.json) process.stdout.write(`${jsonForTerminal(value)}\n`)
  }
  print([
    `latchkey ${version}, node ${process.version}`,
    ...(code ? [`settings: ${code.file}`] : []),
    ...settings,
    ...remarks,
  ])
  if (problems.length > 0) {
    printJson([])
    print([
      'not checked until the problems are solved: advisories, database, workers, mail, providers, packages and Redis',
    ])
    process.exitCode = 1
    return
  }
  const maxPoolSize = databaseOf(checked.config).maxPoolSize ?? 0
  const selectors = values['dkim-selector'] ?? []
  const results = await Promise.all([
    checkAdvisories(version, values.advisories),
    checkDatabase(resolved, maxPoolSize),
    // In an application, the host decides about processes.
    code ? [] : checkWorkers(resolved, maxPoolSize),
    checkMail({ config: resolved, selectors, findTexts, nameOf }),
    checkProviders({ config: resolved, nameOf }),
    checkPackages(resolved),
    checkPageTexts(resolved),
    checkRedis(resolved),
  ])
  const findings = code ? results.flat().map(withNamesInCode) : results.flat()
  print(findings.map(describeFinding))
  printJson(findings)
  if (findings.some(({ level }) => level === 'problem')) process.exitCode = 1
}

const settingsWarning = (message: string): Finding => ({
  level: 'warning',
  about: 'settings',
  message,
})

const printLines = (lines: readonly string[]) =>
  process.stdout.write(textForTerminal(lines.map((line) => `${line}\n`).join('')))

/**
 * Reasons why a given setting has no effect, apart from findings. Most common: its switch is off.
 */
const remarkOn: Record<Exclude<SettingStatus, 'live'>, string> = {
  'offers-later': 'not built yet: no effect in this version',
  unsupported: 'not supported',
}

function describeSettings(given: readonly GivenSetting[], findings: readonly string[]): string[] {
  const named = new Set(findings.join(' ').match(/\w+/g))
  const former = given.filter(isFormer).map((one) => `former name: ${withPresentName(one)}`)
  const others = given.flatMap(({ name, status }) =>
    status === 'live' || named.has(name) ? [] : [`${status}: ${name} (${remarkOn[status]})`],
  )
  return [...former, ...others]
}
