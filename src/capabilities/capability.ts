import type { Deps } from '../accounts/auth-context.ts'
import type { ProviderRegistry } from '../credentials/external/provider.ts'
import type { Carriers } from '../delivery/outbox/message.ts'
import type { Implemented } from '../endpoints/http/implement.ts'
import type { Config } from '../platform/config/config.ts'
import type { Setting } from '../platform/config/setting.ts'
import type { Clock } from '../platform/kit/clock.ts'
import type { RootKeys } from '../platform/kit/derived-keys.ts'
import type { OutsideFetch } from '../platform/kit/outside-fetch.ts'
import type { MailDefinition } from '../platform/mails/mail-definition.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { SweepExpired } from '../platform/sql/delete-rows.sql.ts'
import type { MigrationStep } from '../platform/sql/migration.ts'
import type { PersonalTable } from '../platform/sql/personal-table.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import type { SealedColumn } from '../platform/sql/sealed-column.ts'
import type { TableFragments } from '../platform/sql/tables.ts'

/** The descriptor of an optional part of the service, whose code and tables are in one folder. */
export interface Capability {
  /** The name of its folder, which identifies it. */
  name: string
  /** Its terms, which lists of the platform contain before a service starts. */
  terms: CapabilityTerms
  /** Its settings, which are in the list of settings, too. */
  settings: readonly Setting[]
  /** The migrations of its tables, oldest first. A released name is never changed. */
  migrations: readonly MigrationStep[]
  /** Loads the entities of its tables, and with them the ORM: for tasks of the schema only. */
  entities(): Promise<readonly EntityClass[]>
  /** Its tables that store personal data, by their names in an export. */
  personalTables: Readonly<Record<string, PersonalTable>>
  /** Its other tables, each with the reason why it stores no personal data. */
  otherTables: Readonly<Record<string, string>>
}

/** The parts of the service that a sender of messages needs. */
export interface OutletNeeds extends Pick<Deps, 'config' | 'clock' | 'keys' | 'random'> {
  sql: Queryable
  /** Sends requests to URLs that a request supplied. */
  fetch: OutsideFetch
}

/**
 * A capability whose tables every database has, since instances with different settings may use one
 * database. While its setting disables it, its endpoints reject requests. `endGrants` and `sweeps`
 * still delete rows: a grant that ended is not restored when the capability is enabled again.
 */
export interface BuiltInCapability extends Capability {
  endpoints: readonly Implemented[]
  operatorEndpoints: readonly Implemented[]
  /** The columns of its tables without personal data, which inserts name. */
  otherColumns?: Readonly<Record<string, readonly string[]>>
  /** Delete rows that have expired. */
  sweeps: readonly SweepExpired[]
  /**
   * Further periodic work on its tables, with each sweep. It loads its code where it is enabled.
   */
  upkeep?(deps: Deps): Promise<void>
  /**
   * Returns statements that delete the capability's grants to users. They become parts of the
   * statements that end grants: `accounts/lifecycle/endings.ts` lists them.
   *
   * @param users a common table expression with the ids of the users as `id`.
   */
  endGrants(sql: TableFragments, users: string): string | readonly string[]
  /** Returns statements that delete the consents of users to applications, as `endGrants` does. */
  endConsents?(sql: TableFragments, users: string): string | readonly string[]
  /** Returns its external providers, which are registered while the service runs. */
  openProviderRegistry?(needs: RegistryNeeds): ProviderRegistry
  /** The columns of its tables whose values are sealed with a root key. */
  sealedColumns?: readonly SealedColumn[]
  /**
   * Returns statements that store messages about sessions that end, as parts of the statements that
   * end them.
   *
   * @param sessions a common table expression with the columns of `endedColumns`.
   */
  reportEnded?(sql: TableFragments, sessions: string): string | readonly string[]
  /** Opens the senders of such messages, which the outbox delivers, by channel. */
  openOutlets?(needs: OutletNeeds): Partial<Carriers>
}

/** The parts of a service that a registry of providers may use. */
export interface RegistryNeeds {
  config: Config
  sql: Queryable
  clock: Clock
  logger: Logger
  roots: RootKeys
  /** Sends requests to URLs that a request, a token or a document supplied. */
  fetch: OutsideFetch
}

/**
 * The terms that a capability adds to lists of the platform. `npm run docs` writes these lists from
 * the `.terms.ts` files.
 */
export interface CapabilityTerms {
  tables: readonly string[]
  errorCodes?: readonly string[]
  auditActions?: Readonly<Record<string, object>>
  notificationMails?: Readonly<Record<string, MailDefinition>>
  /** The method in `amr` of a proof that replaces a factor. */
  factorSubstitute?: string
}

/** The class of an entity of MikroORM. */
export type EntityClass = new () => object

export const defineCapability = <const Defined extends Capability>(capability: Defined): Defined =>
  capability

/** Defines a capability that every service contains. */
export const defineBuiltInCapability = <const Defined extends BuiltInCapability>(
  capability: Defined,
): Defined => capability
