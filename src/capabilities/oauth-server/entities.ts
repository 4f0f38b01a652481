import { OauthAuthorizationEntity } from './authorize/oauth-authorization.entity.ts'
import { OauthClientEntity } from './clients/oauth-client.entity.ts'
import { OauthConsentEntity } from './grants/oauth-consent.entity.ts'
import { OauthSpentProofEntity } from './protocol/oauth-spent-proof.entity.ts'

export const entities = [
  OauthClientEntity,
  OauthConsentEntity,
  OauthAuthorizationEntity,
  OauthSpentProofEntity,
]
