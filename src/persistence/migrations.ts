import { initial } from '../../migrations/20261121-initial.ts'
import { limits } from '../../migrations/20261122-limits.ts'
import { messages } from '../../migrations/20261123-messages.ts'
import { adminLists } from '../../migrations/20261124-admin-lists.ts'
import { factors } from '../../migrations/20261125-factors.ts'
import { importedSessions } from '../../migrations/20261126-imported-sessions.ts'
import { auditLookUps } from '../../migrations/20261127-audit-look-ups.ts'
import { userLookUps } from '../../migrations/20261128-user-look-ups.ts'
import type { MigrationFactory } from './migration.ts'

/** All steps of the schema, oldest first. A name once released is never changed. */
export const migrations: readonly { name: string; create: MigrationFactory }[] = [
  { name: '20261121-initial', create: initial },
  { name: '20261122-limits', create: limits },
  { name: '20261123-messages', create: messages },
  { name: '20261124-admin-lists', create: adminLists },
  { name: '20261125-factors', create: factors },
  { name: '20261126-imported-sessions', create: importedSessions },
  { name: '20261127-audit-look-ups', create: auditLookUps },
  { name: '20261128-user-look-ups', create: userLookUps },
]
