import { exported, personalTable, withheld } from '../../platform/sql/personal-table.ts'
import type { OauthStateRow } from './oauth-state.entity.ts'

const secret = 'a secret of a sign-in that is under way'

/** The states of users who link an identity. A sign-in has no user before its callback. */
export const personalOauthStates = personalTable<OauthStateRow>()({
  name: 'oauth_states',
  belongsBy: { ids: ['linking_user_id'] },
  key: 'id',
  columns: {
    created_at: exported,
    provider: exported,
    redirect_to: exported,
    redirect_uri: exported,
    audience: exported,
    linking_user_id: exported,
    linking_session_id: exported,
    code_challenge: exported,
    code_challenge_method: exported,
    expires_at: exported,
    id: withheld(secret),
    browser_hash: withheld(secret),
    code_verifier: withheld(secret),
    nonce: withheld(secret),
    proved_identity: withheld(secret),
    invitation_hash: withheld(secret),
  },
  erasure: { rows: 'deleted' },
})
