import type { AuthConfig } from '../platform/config/auth-config.ts'
import type { DatabaseConfig } from '../platform/config/sections/database.ts'

/** The settings of the database that were given, without defaults. */
export const databaseOf = ({ database }: AuthConfig): DatabaseConfig =>
  typeof database === 'string' ? { url: database } : (database ?? {})
