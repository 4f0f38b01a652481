import type { AuthContext, TransactionContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import type { ColumnKeys } from './column-encryption.ts'
import type { Loss, PartKind } from './import-report.ts'
import type { SourceConnection, SourceLayout } from './source.sql.ts'

/** The source, as a part of an import reads it. */
export interface PartSource {
  connection: SourceConnection
  layout: SourceLayout
  keys: ColumnKeys
}

export interface PartResult {
  added: Partial<Record<PartKind, number>>
  losses: Loss[]
}

/** Stores data that were read. It may run several times. */
export type StorePart = (tx: TransactionContext, admin: Admin) => Promise<PartResult>

/** The data of a capability, as a part of an import. */
export interface ImportPart {
  /** Reads the data that belong to no user. They are stored before the users. */
  read(ctx: AuthContext, source: PartSource): Promise<StorePart>
  /** Imports the data of users that this batch adds. */
  ofUsers?(
    tx: TransactionContext,
    source: PartSource,
    userIds: readonly string[],
  ): Promise<PartResult>
}
