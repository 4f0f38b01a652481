import { unknownCommand } from '../usage.ts'
import { UsageError } from '../usage-error.ts'
import { sqlConfig } from './sql-config.ts'
import { sqlFormat } from './sql-format.ts'

const actions: Record<string, (args: string[]) => Promise<void>> = {
  format: sqlFormat,
  config: sqlConfig,
}

/** `latchkey sql …`: formats SQL files. Needs neither the service nor its settings. */
export async function sql([name = '', ...args]: string[]): Promise<void> {
  if (name === '') throw new UsageError('sql: which action?')
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw unknownCommand('sql', name)
  await action(args)
}
