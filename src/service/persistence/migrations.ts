import { initial } from '../../../migrations/20261122-initial.ts'
import { addressChanges } from '../../../migrations/20261130-address-changes.ts'
import type { MigrationStep } from '../../platform/sql/migration.ts'
import { builtInCapabilities } from '../capabilities.ts'

/** All steps of the schema, oldest first. A released name is never changed. */
export const migrations: readonly MigrationStep[] = [
  { name: '20261122-initial', statements: initial },
  { name: '20261130-address-changes', statements: addressChanges },
  ...builtInCapabilities.flatMap((capability) => capability.migrations),
]
