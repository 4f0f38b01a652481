import { Migration, Migrator } from '@mikro-orm/migrations'
import type { MigrationStep } from '../../platform/sql/migration.ts'
import type { Orm } from './orm-options.ts'
import type { TableNames } from './table-names.ts'

/**
 * Creates the migrator of these steps. The ORM's own is not used: it keeps the steps of its first
 * use, and the embedded database has one ORM for all. Like `orm-options.ts`, this file loads the
 * ORM.
 */
export function migratorFor(
  orm: Orm,
  steps: readonly MigrationStep[],
  names: TableNames,
): Migrator {
  const migrationsList = steps.map(({ name, statements }) => ({
    name,
    class: migrationClass(statements(names)),
  }))
  orm.config.set('migrations', { ...orm.config.get('migrations'), migrationsList })
  return new Migrator(orm.em)
}

const migrationClass = (statements: string[]) =>
  class extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement)
    }
  }
