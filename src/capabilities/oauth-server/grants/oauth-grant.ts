import type { OauthClient } from '../clients/oauth-client.ts'

/** The access that a user granted to a client. */
export interface OauthGrant {
  client: Pick<OauthClient, 'clientId' | 'clientName' | 'clientUri' | 'logoUri'>
  scopes: string[]
  grantedAt: Date
}
