import { defineMigration } from '../../platform/sql/migration.ts'

/** The table of the console's overview. */
export const consoleTables = defineMigration(({ table }) => [
  `create table ${table('activity_counts')} (
    kind text not null,
    hour timestamptz not null,
    occurrences int not null,
    primary key (kind, hour)
  )`,
  `revoke all on ${table('activity_counts')} from public`,
])
