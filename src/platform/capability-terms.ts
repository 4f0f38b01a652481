import * as subscribePages from '../capabilities/subscribe-pages/subscribe-pages.terms.ts'

// The terms of capabilities that lists of the platform contain before a service starts.

/** The names of all their tables, whether or not a database has them. */
export const capabilityTables: readonly string[] = [...subscribePages.tables]
