import { Migration } from '@mikro-orm/migrations'
import type { MigrationStep } from './migrations.ts'
import type { Orm } from './orm.ts'
import type { TableNames } from './table-names.ts'

/**
 * Tells the ORM, before its migrator is first used, which steps of the schema there are. As `orm-options.ts` does, this
 * file loads it.
 */
export function setSteps(orm: Orm, steps: readonly MigrationStep[], names: TableNames): void {
  const migrationsList = steps.map(({ name, statements }) => ({
    name,
    class: migrationClass(statements(names)),
  }))
  orm.config.set('migrations', { ...orm.config.get('migrations'), migrationsList })
}

const migrationClass = (statements: string[]) =>
  class extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement)
    }
  }
