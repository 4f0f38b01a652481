import { OauthAuthorizationEntity } from './oauth-authorization.entity.ts'
import { OauthClientEntity } from './oauth-client.entity.ts'
import { OauthConsentEntity } from './oauth-consent.entity.ts'
import { OauthSpentProofEntity } from './oauth-spent-proof.entity.ts'

export const entities = [
  OauthClientEntity,
  OauthConsentEntity,
  OauthAuthorizationEntity,
  OauthSpentProofEntity,
]
