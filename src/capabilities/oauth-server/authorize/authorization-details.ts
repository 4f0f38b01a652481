import type { OauthClient } from '../clients/oauth-client.ts'

/** A request that waits for the decision of its user. */
export interface AuthorizationDetails {
  authorizationId: string
  redirectUri: string
  client: Pick<OauthClient, 'clientId' | 'clientName' | 'clientUri' | 'logoUri'>
  user: { id: string; email: string | null }
  scope: string
  resource: string | null
}

/** The decision was made: the page sends the browser to this URL. */
export interface AuthorizationRedirect {
  redirectUrl: string
}
