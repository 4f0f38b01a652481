import { initial } from '../../migrations/20261121-initial.ts'
import { limits } from '../../migrations/20261122-limits.ts'
import { messages } from '../../migrations/20261123-messages.ts'
import { adminLists } from '../../migrations/20261124-admin-lists.ts'
import { factors } from '../../migrations/20261125-factors.ts'
import { importedSessions } from '../../migrations/20261126-imported-sessions.ts'
import { auditLookUps } from '../../migrations/20261127-audit-look-ups.ts'
import { userLookUps } from '../../migrations/20261128-user-look-ups.ts'
import { registrations } from '../../migrations/20261129-registrations.ts'
import { registeredKeys } from '../../migrations/20261130-registered-keys.ts'
import { userVersions } from '../../migrations/20261201-user-versions.ts'
import type { Migration } from './migration.ts'

/** All steps of the schema, oldest first. A name once released is never changed. */
export const migrations: readonly { name: string; statements: Migration }[] = [
  { name: '20261121-initial', statements: initial },
  { name: '20261122-limits', statements: limits },
  { name: '20261123-messages', statements: messages },
  { name: '20261124-admin-lists', statements: adminLists },
  { name: '20261125-factors', statements: factors },
  { name: '20261126-imported-sessions', statements: importedSessions },
  { name: '20261127-audit-look-ups', statements: auditLookUps },
  { name: '20261128-user-look-ups', statements: userLookUps },
  { name: '20261129-registrations', statements: registrations },
  { name: '20261130-registered-keys', statements: registeredKeys },
  { name: '20261201-user-versions', statements: userVersions },
]
