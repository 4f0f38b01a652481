import type {
  AuthorizationDetails,
  AuthorizationRedirect,
} from '../../capabilities/oauth-server/authorize/authorization-details.ts'
import type { OauthGrant } from '../../capabilities/oauth-server/grants/oauth-grant.ts'
import type { CallOptions } from './call-options.ts'
import type { MethodsOf } from './lazily.ts'

/** An authorization request, and the user who decides about it. */
export interface OauthAuthorizationInput {
  accessToken: string
  /** The id in the URL of the consent page. */
  authorizationId: string
}

/** The decisions of users about the access of OAuth clients, as a consent page makes them. */
export interface OauthApi {
  /**
   * Opens an authorization request for the user. Returns what the consent page shows, or the URL to
   * redirect to where the user consented before.
   *
   * @throws AuthError `feature_disabled` (404), `insufficient_aal`, `oauth_authorization_not_found`
   *   (404), `reauthentication_needed` where the client requires a new sign-in, `bad_json`,
   *   `bad_jwt`, `insufficient_scope`, `no_authorization`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  getAuthorizationDetails(
    input: OauthAuthorizationInput,
    options?: CallOptions,
  ): Promise<AuthorizationDetails | AuthorizationRedirect>
  /**
   * Approves an authorization request that the user opened. Returns the URL to redirect to.
   *
   * @throws AuthError as `getAuthorizationDetails`: `feature_disabled`,
   *   `oauth_authorization_not_found` (404), `reauthentication_needed`, `insufficient_aal`,
   *   `bad_jwt`, `bad_json`, `insufficient_scope`, `no_authorization` (401),
   *   `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  approveAuthorization(
    input: OauthAuthorizationInput & {
      /** The scopes that the user grants, where these are a part of the requested ones. */
      scope?: string | undefined
    },
    options?: CallOptions,
  ): Promise<AuthorizationRedirect>
  /**
   * Denies an authorization request that the user opened. Returns the URL to redirect to.
   *
   * @throws AuthError as `getAuthorizationDetails`: `feature_disabled`,
   *   `oauth_authorization_not_found` (404), `reauthentication_needed`, `insufficient_aal`,
   *   `bad_jwt`, `bad_json`, `insufficient_scope`, `no_authorization` (401),
   *   `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  denyAuthorization(
    input: OauthAuthorizationInput,
    options?: CallOptions,
  ): Promise<AuthorizationRedirect>
  /**
   * Opens the authorization request of a device by the code that the user enters. Returns what the
   * consent page shows.
   *
   * @throws AuthError `feature_disabled` (404), `insufficient_aal`, `oauth_authorization_not_found`
   *   (404), `over_request_rate_limit` (429) after too many codes, `reauthentication_needed` where
   *   the client requires a new sign-in, `bad_json`, `bad_jwt`, `insufficient_scope`,
   *   `no_authorization`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `session_expired`, `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  getDevice(
    input: {
      accessToken: string
      /** The code, in any letter case. */
      userCode: string
    },
    options?: CallOptions,
  ): Promise<AuthorizationDetails | AuthorizationRedirect>
  /**
   * Lists the access that the user granted to clients, the newest first.
   *
   * @throws AuthError `feature_disabled` (404), `bad_json`, `bad_jwt`, `insufficient_scope`,
   *   `no_authorization`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `session_expired`, `session_not_found`, `user_banned`, `user_not_found`, `validation_failed`.
   */
  listGrants(input: { accessToken: string }, options?: CallOptions): Promise<OauthGrant[]>
  /**
   * Ends the access of a client: the consent, its codes and its sessions.
   *
   * @throws AuthError `feature_disabled` (404), `oauth_consent_not_found` (404), `bad_json`,
   *   `bad_jwt`, `insufficient_scope`, `no_authorization`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `session_expired`, `session_not_found`, `user_banned`,
   *   `user_not_found`, `validation_failed`.
   */
  revokeGrant(
    input: {
      accessToken: string
      /** The id of the client. */
      clientId: string
    },
    options?: CallOptions,
  ): Promise<void>
}

/** The names of the methods, which are needed before the service is loaded. */
export const oauthMethods: MethodsOf<OauthApi> = {
  getAuthorizationDetails: true,
  getDevice: true,
  listGrants: true,
  revokeGrant: true,
  approveAuthorization: true,
  denyAuthorization: true,
}
