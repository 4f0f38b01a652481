import { exported, personalTable } from '../kit/personal-table.ts'
import type { SessionRow } from './session.ts'

export const personalSessions = personalTable<SessionRow>()({
  name: 'sessions',
  belongsBy: { ids: ['user_id'] },
  columns: {
    ...{ id: exported, user_id: exported, aal: exported, amr: exported, tag: exported },
    ...{ ip: exported, user_agent: exported, refresh_token_counter: exported },
    ...{ created_at: exported, refreshed_at: exported, not_after: exported },
    ...{ revoked_at: exported },
  },
  erasure: { rows: 'deleted' },
})
