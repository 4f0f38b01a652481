import type { Config } from '../../config/config.ts'
import { plannedSteps, migrate as takePending } from '../../persistence/migrate.ts'
import { migrationStatus } from '../../persistence/migration-status.ts'
import type { OpenDatabase } from '../../persistence/open-database.ts'
import { openConfiguredDatabase } from '../../runtime.ts'
import { checkEnvironment } from '../environment.ts'
import { parseFlags, refuseWords } from '../parse-flags.ts'
import { printPlan } from '../sql/print-plan.ts'
import { unknownCommand } from '../usage.ts'

type Action = (database: OpenDatabase, config: Config) => Promise<string[]>

const actions: Record<string, Action> = {
  run: async (open, { database }) => {
    const taken = await takePending(open, database)
    return taken.length === 0 ? ['up to date'] : taken.map((name) => `applied ${name}`)
  },
  status: async ({ sql }, { database }) => {
    const { applied, pending } = await migrationStatus(sql, database)
    return [
      ...applied.map(({ name, appliedAt }) => `applied ${name}  ${appliedAt.toISOString()}`),
      ...pending.map((name) => `pending ${name}`),
    ]
  },
  plan: async (open, { database }) => printPlan(await plannedSteps(open, database)),
}

/** `latchkey migrate [status|plan]` */
export async function migrate(args: string[]): Promise<void> {
  const [name = 'run', ...rest] = parseFlags('migrate', args, {}).positionals
  const action = name !== 'run' || args.length === 0 ? actions[name] : undefined
  if (!action) throw unknownCommand('migrate', name)
  refuseWords(`migrate ${name}`, rest)
  const { resolved } = checkEnvironment(process.env)
  const database = await openConfiguredDatabase(resolved)
  try {
    const lines = await action(database, resolved)
    process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  } finally {
    await database.close()
  }
}
