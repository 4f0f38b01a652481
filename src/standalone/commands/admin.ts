import { once } from 'node:events'
import { escapeControls } from '../../platform/kit/escape-controls.ts'
import { createAdminApi } from '../../service/api/create-admin-api.ts'
import type { AdminAction, AdminRequest, AdminResult } from '../admin/admin-action.ts'
import { adminActions } from '../admin/admin-actions.ts'
import { UsageError } from '../command-error.ts'
import { openForOperator, openForReading, operator } from '../operator.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { type FlagOptions, parseFlags } from '../terminal/parse-flags.ts'
import { jsonForTerminal, printTable } from '../terminal/print-result.ts'
import { asUsageError } from '../terminal/rejected-input.ts'
import { unknownCommand } from '../usage.ts'

const json = { json: { type: 'boolean', default: false } } as const satisfies FlagOptions

/**
 * `latchkey admin …`: finds, creates, changes, bans and deletes users in the configured database.
 */
export async function admin(
  [name = '', ...args]: string[],
  { code }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const action = Object.hasOwn(adminActions, name) ? adminActions[name] : undefined
  if (!action && name === '') throw new UsageError('admin: which action?')
  if (!action) throw unknownCommand('admin', name)
  const { asJson, ...request } = readRequest(name, action, args)
  action.check?.(request)
  try {
    await run(action, request, { code, print: (result) => print(result, asJson) })
  } catch (error) {
    const options = Object.keys(action.options ?? {})
    throw asUsageError(error, { command: `admin ${name}`, options, names: action.names ?? {} })
  }
}

async function run(
  action: AdminAction,
  { flags, words }: Pick<AdminRequest, 'flags' | 'words'>,
  {
    code,
    print,
  }: {
    code: SettingsSources['code'] | undefined
    print(result: AdminResult): Promise<void>
  },
): Promise<void> {
  if (action.reads) {
    const { admin: reader, close } = await openForReading(code)
    return action.run({ admin: reader, words, flags }).then(print).finally(close)
  }
  const { auth, runtime } = openForOperator(code)
  try {
    const { deps } = await runtime()
    await print(await action.run({ admin: createAdminApi(deps, operator), deps, words, flags }))
  } finally {
    await auth.close()
  }
}

async function print(result: AdminResult, asJson: boolean): Promise<void> {
  if (result.document) await writeDocument(result.document)
  else if (asJson) process.stdout.write(`${jsonForTerminal(result.value)}\n`)
  else printTable(result.columns, result.rows)
  if (result.remark && !asJson) process.stderr.write(`${result.remark}\n`)
}

/** Writes the text with backpressure, until the reader closes the pipe. */
async function writeDocument(text: AsyncIterable<string>): Promise<void> {
  try {
    for await (const part of text) {
      if (!process.stdout.write(escapeControls(part))) await once(process.stdout, 'drain')
      if (!process.stdout.writable) return
    }
    process.stdout.write('\n')
  } catch (error) {
    if (Object(error).code !== 'EPIPE') throw error
  }
}

function readRequest(name: string, action: AdminAction, args: string[]) {
  const { values, positionals } = parseFlags(`admin ${name}`, args, { ...action.options, ...json })
  const { min, max } = action.words
  if (positionals.length < min || positionals.length > max) {
    throw new UsageError(`admin ${name}: expects ${action.takes}`)
  }
  const { json: asJson, ...flags } = values
  return { flags, words: positionals, asJson: asJson === true }
}
