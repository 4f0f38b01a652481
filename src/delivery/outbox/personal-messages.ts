import { exported, personalTable, withheld } from '../../platform/sql/personal-table.ts'
import type { OutboxRow } from './outbox-row.ts'

export const personalMessages = personalTable<OutboxRow>()({
  name: 'outbox_messages',
  belongsBy: { ids: ['user_id'] },
  columns: {
    id: exported,
    user_id: exported,
    channel: exported,
    kind: exported,
    recipient: exported,
    status: exported,
    attempts: exported,
    created_at: exported,
    next_attempt_at: exported,
    expires_at: exported,
    settled_at: exported,
    carrier_message_id: exported,
    last_error: exported,
    body: withheld(
      'sealed: it contains a link and a code that give access to the account, and is deleted after delivery',
    ),
  },
  erasure: { rows: 'deleted' },
})
