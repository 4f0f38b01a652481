import { exported, personalTable, withheld } from '../sql/personal-table.ts'
import type { IdentityRow, StoredUserRow } from './user-row.ts'

export const personalUsers = personalTable<StoredUserRow>()({
  name: 'users',
  belongsBy: { ids: ['id'] },
  columns: {
    id: exported,
    audience: exported,
    role: exported,
    email: exported,
    phone: exported,
    new_email: exported,
    new_phone: exported,
    app_metadata: exported,
    user_metadata: exported,
    is_anonymous: exported,
    is_sso_user: exported,
    email_confirmed_at: exported,
    phone_confirmed_at: exported,
    email_change_confirm_status: exported,
    invited_at: exported,
    confirmation_sent_at: exported,
    recovery_sent_at: exported,
    email_change_sent_at: exported,
    phone_change_sent_at: exported,
    reauthentication_sent_at: exported,
    last_sign_in_at: exported,
    banned_until: exported,
    deleted_at: exported,
    created_at: exported,
    updated_at: exported,
    registered_by: exported,
    registered_from: exported,
    registered_keys: exported,
    version: withheld('a number of changes, by which the service tells whether there was another'),
    password_hash: withheld(
      'a hash of the password, which could be guessed from it wherever the export ends up',
    ),
  },
  erasure: { rows: 'deleted' },
})

export const personalIdentities = personalTable<IdentityRow>()({
  name: 'identities',
  belongsBy: { ids: ['user_id'] },
  columns: {
    id: exported,
    user_id: exported,
    provider: exported,
    subject: exported,
    identity_data: exported,
    last_sign_in_at: exported,
    created_at: exported,
    updated_at: exported,
  },
  erasure: { rows: 'deleted' },
})
