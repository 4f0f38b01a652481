/** The quoted names that a migration writes its statements with. */
export interface MigrationNames {
  /** The schema: `"auth"`. */
  schema: string
  /** A table of ours: `users` → `"auth"."app_users"`. */
  table(name: string): string
  /** An unqualified name behind the prefix, for constraints and indexes: `"app_users_email_unique"`. */
  prefixed(name: string): string
}

/** The statements of a step, in order. */
export type Migration = (names: MigrationNames) => string[]

/** A step of the schema: the name under which it is recorded, and its statements. */
export interface MigrationStep {
  name: string
  statements: Migration
}

/**
 * Defines a step of the schema. Steps only go forward, and between minor versions they only add, so that an
 * instance of the version before keeps working.
 */
export const defineMigration = (statements: Migration): Migration => statements
