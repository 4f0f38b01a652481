import { subscribePages } from '../../capabilities/subscribe-pages/capability.ts'
import type { Config } from '../../platform/config/config.ts'
import { migrate as takePending } from '../../service/persistence/migrate.ts'
import { migrationScript } from '../../service/persistence/migration-script.ts'
import { migrationStatus } from '../../service/persistence/migration-status.ts'
import { migrations } from '../../service/persistence/migrations.ts'
import type { OpenDatabase } from '../../service/persistence/open-database.ts'
import { openConfiguredDatabase } from '../../service/runtime.ts'
import { printPlan } from '../print-plan.ts'
import { checkCodeConfig } from '../settings/code-config.ts'
import { checkEnvironment } from '../settings/environment.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseFlags, rejectWords } from '../terminal/parse-flags.ts'
import { unknownCommand } from '../usage.ts'

type Action = (database: OpenDatabase, config: Config) => Promise<string[]>

const actions: Record<string, Action> = {
  run: async (open, { database, server }) => {
    const taken = await takePending(open, database, stepsOf({ server }))
    return taken.length === 0 ? ['up to date'] : taken.map((name) => `applied ${name}`)
  },
  status: async ({ sql }, { database, server }) => {
    const { applied, pending } = await migrationStatus(sql, database, stepsOf({ server }))
    return [
      ...applied.map(({ name, appliedAt }) => `applied ${name}  ${appliedAt.toISOString()}`),
      ...pending.map((name) => `pending ${name}`),
    ]
  },
  plan: async (open, { database, server }) =>
    printPlan(await migrationScript(open, database, stepsOf({ server }))),
}

/**
 * Returns the migrations, including the migrations of the subscription pages if these are enabled.
 */
const stepsOf = ({ server }: Pick<Config, 'server'>) =>
  server.subscribePagesEnabled ? [...migrations, ...subscribePages.migrations] : migrations

/** `latchkey migrate [status|plan]` */
export async function migrate(
  args: string[],
  { code }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const [name = 'run', ...rest] = parseFlags('migrate', args, {}).positionals
  const action = name !== 'run' || args.length === 0 ? actions[name] : undefined
  if (!action) throw unknownCommand('migrate', name)
  rejectWords(`migrate ${name}`, rest)
  const { resolved } = code
    ? checkCodeConfig(code, process.env, 'database')
    : checkEnvironment(process.env, { needs: 'database' })
  const database = await openConfiguredDatabase(resolved)
  try {
    const lines = await action(database, resolved)
    process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  } finally {
    await database.close()
  }
}
