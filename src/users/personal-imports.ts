import { exported, personalTable, withheld } from '../sql/personal-table.ts'
import type { RowOf } from '../sql/row-of.ts'
import type { ImportedUser as ImportedUserEntity } from './imported-user.entity.ts'

export type ImportedUserRow = RowOf<ImportedUserEntity>

/** That somebody came from another service. It outlasts them, or the next run would bring them back. */
export const personalImports = personalTable<ImportedUserRow>()({
  name: 'imported_users',
  belongsBy: { ids: ['id'] },
  columns: {
    id: exported,
    updated_at: exported,
    fingerprint: withheld('a digest of what came with them, which tells nothing to anybody'),
  },
  erasure: {
    rows: 'kept',
    cleared: ['fingerprint'],
    kept: {
      id: 'made of chance by the other service, and nothing here is theirs any more',
      updated_at: 'tells when a row changed that is gone',
    },
  },
})
