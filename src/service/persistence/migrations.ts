import { initial } from '../../../migrations/20261122-initial.ts'
import type { Migration } from './migration.ts'

/** A step of the schema: the name it is remembered by, and its statements. */
export interface MigrationStep {
  name: string
  statements: Migration
}

/** All steps of the schema, oldest first. A name once released is never changed. */
export const migrations: readonly MigrationStep[] = [
  { name: '20261122-initial', statements: initial },
]
