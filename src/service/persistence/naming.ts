import { type NamingStrategy, UnderscoreNamingStrategy } from '@mikro-orm/core'

/** `session` → `sessions`, `identity` → `identities`, `key` → `keys`. */
const plural = (noun: string): string =>
  /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`

/**
 * Returns a naming strategy for tables: plural, in snake case, with the configured prefix. Columns
 * have neither plural nor prefix.
 */
export const prefixedNaming = (prefix: string): (new () => NamingStrategy) =>
  class extends UnderscoreNamingStrategy {
    override classToTableName(entityName: string, tableName?: string): string {
      return prefix + plural(tableName ?? super.classToTableName(entityName))
    }

    override joinKeyColumnName(entityName: string, referencedColumnName?: string): string {
      const column = referencedColumnName ?? this.referenceColumnName()
      return `${this.propertyToColumnName(entityName)}_${column}`
    }
  }
