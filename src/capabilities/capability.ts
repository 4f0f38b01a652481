import type { Config } from '../platform/config/config.ts'
import type { MigrationStep } from '../platform/sql/migration.ts'
import type { PersonalTable } from '../platform/sql/personal-table.ts'

/** An optional part of the service: everything that belongs to it is in one folder, which this describes. */
export interface Capability {
  /** Identifies it: the name of its folder. */
  name: string
  /** Whether the configuration enables it. */
  isEnabled(config: Config): boolean
  /** The steps of the schema for its tables, oldest first. A name once released is never changed. */
  migrations: readonly MigrationStep[]
  /** Loads the entities of its tables, and with them the ORM: for tasks of the schema alone. */
  entities(): Promise<readonly EntityClass[]>
  /** Its tables that store personal data, by the names that an export has for them. */
  personalTables: Readonly<Record<string, PersonalTable>>
  /** Its other tables, each with the reason why it stores no personal data. */
  otherTables: Readonly<Record<string, string>>
}

/** The class of an entity of MikroORM. */
export type EntityClass = new () => object

/** Defines a capability. */
export const defineCapability = <const Defined extends Capability>(capability: Defined): Defined =>
  capability
