import { subscribePages } from '../../capabilities/subscribe-pages/capability.ts'
import type { Config } from '../../platform/config/config.ts'
import { migrate as takePending } from '../../service/persistence/migrate.ts'
import { commandPatience } from '../../service/persistence/migration-lock.ts'
import { migrationScript } from '../../service/persistence/migration-script.ts'
import { migrationStatus } from '../../service/persistence/migration-status.ts'
import { migrations } from '../../service/persistence/migrations.ts'
import { openConfiguredDatabase } from '../../service/persistence/open-configured-database.ts'
import type { OpenDatabase } from '../../service/persistence/open-database.ts'
import { printPlan } from '../print-plan.ts'
import { checkCodeConfig } from '../settings/code-config.ts'
import { checkEnvironment } from '../settings/environment.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseAction, rejectWords } from '../terminal/parse-flags.ts'
import { jsonForTerminal } from '../terminal/print-result.ts'
import { unknownCommand } from '../usage.ts'

/** The result of an action: lines to print, and whether migrations are pending after it. */
interface Printed {
  lines: string[]
  /** The result for programs. */
  value?: object
  isPending?: boolean
}

type Action = (database: OpenDatabase, config: Config) => Promise<Printed>

/** Differs from the codes of a failure (1) and of an invalid command line (2). */
const pendingExitCode = 3

const applyPending: Action = async (open, { database, server }) => {
  const taken = await takePending(open, database, stepsOf({ server }), {
    patience: commandPatience,
  })
  return { lines: taken.length === 0 ? ['up to date'] : taken.map((name) => `applied ${name}`) }
}

const actions: Record<string, Action> = {
  status: async ({ sql }, { database, server }) => {
    const { applied, pending } = await migrationStatus(sql, database, stepsOf({ server }))
    const lines = [
      ...applied.map(({ name, appliedAt }) => `applied ${name}  ${appliedAt.toISOString()}`),
      ...pending.map((name) => `pending ${name}`),
    ]
    const value = {
      applied: applied.map(({ name, appliedAt }) => ({ name, appliedAt })),
      pending,
    }
    return { lines, value, isPending: pending.length > 0 }
  },
  plan: async (open, { database, server }) => ({
    lines: await printPlan(await migrationScript(open, database, stepsOf({ server }))),
  }),
}

/** Returns the action of a name; without a name, `latchkey migrate` applies migrations. */
function findAction(name: string | undefined): Action | undefined {
  if (name === undefined) return applyPending
  return Object.hasOwn(actions, name) ? actions[name] : undefined
}

/**
 * Returns the migrations, including the migrations of the subscription pages if these are enabled.
 */
const stepsOf = ({ server }: Pick<Config, 'server'>) =>
  server.subscribePagesEnabled ? [...migrations, ...subscribePages.migrations] : migrations

/** `latchkey migrate [status [--exit-code] [--json]|plan]` */
export async function migrate(
  args: string[],
  { code }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const { name, words, values } = parseAction('migrate', args, {
    options: {
      'exit-code': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  })
  const action = findAction(name)
  if (!action) throw unknownCommand('migrate', name ?? '')
  rejectWords(`migrate ${name}`, words)
  const { resolved } = code
    ? checkCodeConfig(code, process.env, 'database')
    : checkEnvironment(process.env, { needs: 'database' })
  const database = await openConfiguredDatabase(resolved)
  try {
    const { lines, value, isPending } = await action(database, resolved)
    const text = values.json ? [jsonForTerminal(value)] : lines
    process.stdout.write(text.map((line) => `${line}\n`).join(''))
    if (isPending && values['exit-code']) process.exitCode = pendingExitCode
  } finally {
    await database.close()
  }
}
