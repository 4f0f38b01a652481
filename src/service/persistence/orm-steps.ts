import { Migration, Migrator } from '@mikro-orm/migrations'
import type { MigrationStep } from '../../platform/sql/migration.ts'
import type { Orm } from './orm.ts'
import type { TableNames } from './table-names.ts'

/**
 * What takes these steps of the schema. It is a new one each time: the ORM keeps its own, which knows the steps that it was
 * first asked for, and the embedded database has one ORM for all. As `orm-options.ts` does, this file loads it.
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
