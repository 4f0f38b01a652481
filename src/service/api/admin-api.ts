import type { ExplainedDecision } from '../../accounts/decisions/decisions.sql.ts'
import type { Passkey } from '../../accounts/passkeys/passkey.ts'
import type { ListSessionsInput, SessionInfo } from '../../accounts/sessions/session-info.ts'
import type { Factor, RecoveryCodesStatus, User } from '../../accounts/users/user.ts'
import type {
  CreateCustomProviderInput,
  CustomProvider,
  ListCustomProvidersInput,
  UpdateCustomProviderInput,
} from '../../capabilities/custom-providers/custom-provider.ts'
import type {
  CreateOauthClientInput,
  ListedOauthClients,
  ListOauthClientsInput,
  OauthClient,
  OauthClientWithSecret,
  UpdateOauthClientInput,
} from '../../capabilities/oauth-server/clients/oauth-client.ts'
import type { OauthGrant } from '../../capabilities/oauth-server/grants/oauth-grant.ts'
import type { TrustedDevice } from '../../capabilities/trusted-devices/trusted-device.ts'
import type {
  ListAuditInput,
  ListedAudit,
} from '../../endpoints/admin-audit/admin-audit.endpoint.ts'
import type {
  CreateUserInput,
  DeleteUserInput,
  ListedUsers,
  ListUsersInput,
  UpdateUserInput,
  UserLookUp,
} from '../../endpoints/admin-users/admin-users.endpoint.ts'
import type { PersonExport } from '../../endpoints/admin-users/exported-person.ts'
import type { GenerateLinkInput } from '../../endpoints/generate-link/generate-link.endpoint.ts'
import type { InviteUserInput } from '../../endpoints/invite/invite.endpoint.ts'
import type {
  ImportReport,
  ImportUsersInput,
  UserToImport,
} from '../../import/users/import-input.ts'
import type { ProviderAccessToken } from '../../platform/config/sections/provider-definition.ts'
import type { CallOptions } from './call-options.ts'
import type { MethodsOf } from './lazily.ts'

/** A link like that of a mail, with its parts. Any party that has it can sign in as the user. */
export interface GeneratedLink {
  user: User
  actionLink: string
  /** The code that a mail would contain. */
  emailOtp: string
  /** The secret in the link, for `verifyOtp` as `tokenHash`. */
  hashedToken: string
  /** The resulting type of the link, which may differ from the requested one. */
  verificationType: string
  redirectTo: string
}

export interface BanUserInput {
  /** The duration, such as `24h` or `1h30m`. Default: permanent. */
  duration?: string | undefined
  /** The reason, for the audit entry: at most 500 characters. */
  reason?: string | undefined
}

/**
 * The operations of operators, called from code. The object itself grants the permission: no token
 * is required. Every method throws `AuthError` with the code of the wire.
 */
export interface AdminApi {
  /**
   * Creates a user. No message is sent.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `conflict`, `email_exists`,
   *   `phone_exists`, `user_already_exists`, `username_exists`, `weak_password`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `validation_failed`.
   */
  createUser(input: CreateUserInput, options?: CallOptions): Promise<User>
  /**
   * Returns the user with this id.
   *
   * @throws AuthError `user_not_found`, `service_unavailable` (503), `validation_failed`.
   */
  getUser(userId: string, options?: CallOptions): Promise<User>
  /**
   * Finds a user by id, address or identity: `{ email: 'ada@example.com' }`, `{ identity: {
   * provider: 'github', subject: '583231' } }`. Null when there is none. Users of single sign-on
   * are not found by address.
   *
   * @throws AuthError `validation_failed`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503).
   */
  findUser(lookUp: UserLookUp, options?: CallOptions): Promise<User | null>
  /**
   * Lists users by pages, the newest first by default. The cost of a page does not depend on its
   * position.
   *
   * @throws AuthError `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `validation_failed` also for the cursor of another list.
   * @example
   * let cursor: string | null = null
   * do {
   *   const { users, nextCursor } = await auth.admin.listUsers({ limit: 500, cursor })
   *   cursor = nextCursor
   * } while (cursor !== null)
   */
  listUsers(input?: ListUsersInput, options?: CallOptions): Promise<ListedUsers>
  /**
   * Changes a user. Addresses change at once, and no message is sent. Metadata is merged. A new
   * password ends all sessions of the user.
   *
   * @throws AuthError `conflict`, `email_exists`, `phone_exists`, `user_not_found`,
   *   `username_exists`, `weak_password`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `validation_failed`.
   */
  updateUser(userId: string, changes: UpdateUserInput, options?: CallOptions): Promise<User>
  /**
   * Deletes a user, and ends their sessions.
   *
   * @throws AuthError `conflict`, `user_not_found`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `validation_failed`.
   */
  deleteUser(userId: string, input?: DeleteUserInput, options?: CallOptions): Promise<void>
  /**
   * Returns all stored data of a user, as the text of an `ExportedPerson` in JSON, in parts of a
   * bounded size. Also for a deleted user with audit entries. Inside a transaction of the host it
   * is consumed before that ends. The audit log contains the export.
   *
   * @example
   * await pipeline(await auth.admin.exportUser(id), createWriteStream('ada.json'))
   * @throws AuthError `user_not_found`, `validation_failed`, `service_unavailable` (503).
   */
  exportUser(userId: string, options?: CallOptions): Promise<PersonExport>
  /**
   * Erases all personal data of a user, also of a deleted one. The audit log keeps actions and
   * times, without the user.
   *
   * @throws AuthError `user_not_found`, `validation_failed`, `service_unavailable` (503).
   */
  eraseUser(userId: string, options?: CallOptions): Promise<void>
  /**
   * Bans a user: until the ban ends, the user cannot sign in or renew a session. Sessions are kept;
   * pending changes of address are cancelled.
   *
   * @throws AuthError `user_not_found`, `validation_failed`, `bad_json`, `request_entity_too_large`
   *   (413), `service_unavailable` (503).
   */
  banUser(userId: string, input?: BanUserInput, options?: CallOptions): Promise<User>
  /**
   * Ends a ban.
   *
   * @throws AuthError `user_not_found`, `validation_failed`, `service_unavailable` (503).
   */
  unbanUser(userId: string, options?: CallOptions): Promise<User>
  /**
   * Ends all sessions of a user, and revokes authorization codes and pending changes of address.
   *
   * @throws AuthError `user_not_found`, `service_unavailable` (503), `validation_failed`.
   */
  signOut(userId: string, options?: CallOptions): Promise<void>
  /**
   * Lists the live sessions of a user, the last used first.
   *
   * @throws AuthError `user_not_found`, `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `validation_failed`.
   */
  listSessions(
    userId: string,
    input?: ListSessionsInput,
    options?: CallOptions,
  ): Promise<SessionInfo[]>
  /**
   * Ends one session of a user.
   *
   * @throws AuthError `session_not_found`, `service_unavailable` (503), `validation_failed`.
   */
  revokeSession(userId: string, sessionId: string, options?: CallOptions): Promise<void>
  /**
   * Lists the second factors of a user, the oldest first.
   *
   * @throws AuthError `user_not_found`, `service_unavailable` (503), `validation_failed`.
   */
  listFactors(userId: string, options?: CallOptions): Promise<Factor[]>
  /**
   * Removes a factor, for example a lost one; sessions that it proved are `aal1` again.
   *
   * @throws AuthError `mfa_factor_not_found`, `user_not_found`, `service_unavailable` (503),
   *   `validation_failed`.
   */
  deleteFactor(userId: string, factorId: string, options?: CallOptions): Promise<void>
  /**
   * Returns the number of unused recovery codes of a user. They are removed like any factor, by
   * `deleteFactor` with this `id`.
   *
   * @throws AuthError `mfa_factor_not_found`, `user_not_found`, `service_unavailable` (503),
   *   `validation_failed`.
   */
  getRecoveryCodes(userId: string, options?: CallOptions): Promise<RecoveryCodesStatus>
  /**
   * Returns a user's access token at a provider, as `auth.api.getProviderToken` does.
   *
   * @throws AuthError `identity_not_found` (404), `provider_token_expired` (403),
   *   `provider_token_not_found` (404), `user_not_found`, `validation_failed`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503) also where the provider does
   *   not answer.
   */
  getProviderToken(
    input: { userId: string; provider: string },
    options?: CallOptions,
  ): Promise<ProviderAccessToken>
  /**
   * Lists the passkeys of a user, the oldest first.
   *
   * @throws AuthError `user_not_found`, `service_unavailable` (503), `validation_failed`.
   */
  listPasskeys(userId: string, options?: CallOptions): Promise<Passkey[]>
  /**
   * Removes a passkey, for example a lost one; sessions that it opened stay.
   *
   * @throws AuthError `user_not_found`, `service_unavailable` (503), `validation_failed` also for a
   *   passkey that the user does not have (404).
   */
  deletePasskey(userId: string, passkeyId: string, options?: CallOptions): Promise<void>
  /**
   * Lists the devices that skip the second factor of a user, the oldest first.
   *
   * @throws AuthError `user_not_found`, `service_unavailable` (503), `validation_failed`.
   */
  listTrustedDevices(userId: string, options?: CallOptions): Promise<TrustedDevice[]>
  /**
   * Ends the trust in a device; sessions that it raised are `aal1` again.
   *
   * @throws AuthError `trusted_device_not_found` (404), `user_not_found`, `service_unavailable`
   *   (503), `validation_failed`.
   */
  deleteTrustedDevice(userId: string, deviceId: string, options?: CallOptions): Promise<void>
  /**
   * Lists entries of the audit log, the newest first.
   *
   * @throws AuthError `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `validation_failed`.
   */
  listAudit(input?: ListAuditInput, options?: CallOptions): Promise<ListedAudit>
  /**
   * Returns the decisions about requests in the last day, the newest first, with the rule: a
   * limit, a redirect, reuse, a policy, a hook, a link. Empty for requests that were not rejected.
   * In a flood, not every request is recorded: `docs/operations.md`.
   *
   * @param requests the id in responses and the log, or up to 100 of them.
   * @throws AuthError `validation_failed`, `service_unavailable` (503).
   */
  explain(requests: string | readonly string[], options?: CallOptions): Promise<ExplainedDecision[]>
  /**
   * Imports users, a thousand at a time and in the order of the source, which may be a generator:
   * memory use does not depend on their number, and other requests are not delayed. No message is
   * sent.
   *
   * A record that is malformed, or has the id, address or identity of another user, is rejected,
   * and the others are stored. Existing users stay unchanged: after a failure, start again from the
   * beginning. Inside a transaction of the host, all records are committed or rolled back with it.
   * An error of the source is thrown, and earlier records stay stored.
   *
   * @throws AuthError `validation_failed`, `bad_json`, `service_unavailable` (503).
   * @example
   * const report = await auth.admin.importUsers(oldUsers(), { onRefused: console.warn })
   */
  importUsers(
    source: AsyncIterable<UserToImport> | Iterable<UserToImport>,
    input?: ImportUsersInput,
    options?: CallOptions,
  ): Promise<ImportReport>
  /**
   * Creates a user and mails an invitation; a user who was invited before and has not accepted gets
   * a new one.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `conflict`, `email_address_invalid`,
   *   `email_address_not_authorized`, `email_exists` for a confirmed address,
   *   `over_email_send_rate_limit` (429) for the budget of all mails, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `validation_failed`.
   */
  inviteUser(input: InviteUserInput, options?: CallOptions): Promise<User>
  /**
   * Generates a link for an operator to send, and creates the user where there is none.
   *
   * @throws AuthError of hooks `hook_payload_invalid_content_type`, `hook_payload_over_size_limit`,
   *   `hook_timeout`, `hook_timeout_after_retry`, `unknown`; `conflict`, `email_address_invalid`,
   *   `email_address_not_authorized`, `email_exists` for a confirmed address,
   *   `over_email_send_rate_limit` (429), `signup_disabled`, `user_not_found`, `weak_password`,
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `validation_failed`.
   */
  generateLink(input: GenerateLinkInput, options?: CallOptions): Promise<GeneratedLink>
  /** External providers that are registered while the service runs. */
  readonly customProviders: CustomProvidersApi
  /** The clients of the OAuth server. */
  readonly oauth: OauthClientsApi
}

/** The administration of the clients of the OAuth server. */
export interface OauthClientsApi {
  /**
   * Creates a client. The result contains its secret, where it has one. Only its hash is stored.
   *
   * @throws AuthError `feature_disabled` (404), `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `validation_failed`.
   */
  createClient(input: CreateOauthClientInput, options?: CallOptions): Promise<OauthClientWithSecret>
  /**
   * Lists a page of the clients, the newest first.
   *
   * @throws AuthError `feature_disabled` (404), `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `validation_failed`.
   */
  listClients(input?: ListOauthClientsInput, options?: CallOptions): Promise<ListedOauthClients>
  /**
   * Returns a client.
   *
   * @param clientId a UUID, or the URL of the client's metadata document.
   * @throws AuthError `feature_disabled` (404), `oauth_client_not_found`, `service_unavailable`
   *   (503), `validation_failed`.
   */
  getClient(clientId: string, options?: CallOptions): Promise<OauthClient>
  /**
   * Changes the metadata of a client. Members that are absent stay as they are. Of a client with a
   * metadata document only the scopes and the back-channel logout can be changed.
   *
   * @param clientId a UUID, or the URL of the client's metadata document.
   * @throws AuthError `conflict`, `feature_disabled` (404), `oauth_client_not_found`, `bad_json`,
   *   `request_entity_too_large` (413), `service_unavailable` (503), `validation_failed`.
   */
  updateClient(
    clientId: string,
    changes: UpdateOauthClientInput,
    options?: CallOptions,
  ): Promise<OauthClient>
  /**
   * Deletes a client. Its sessions and the consents of users end.
   *
   * @param clientId a UUID, or the URL of the client's metadata document.
   * @throws AuthError `feature_disabled` (404), `oauth_client_not_found`, `service_unavailable`
   *   (503), `validation_failed`.
   */
  deleteClient(clientId: string, options?: CallOptions): Promise<void>
  /**
   * Replaces the secret of a client. The former one is rejected at once.
   *
   * @param clientId a UUID.
   * @throws AuthError `conflict`, `feature_disabled` (404), `oauth_client_not_found`,
   *   `service_unavailable` (503), `validation_failed`.
   */
  regenerateClientSecret(clientId: string, options?: CallOptions): Promise<OauthClientWithSecret>
  /**
   * Lists the access that a user granted to clients, the newest first.
   *
   * @throws AuthError `feature_disabled` (404), `user_not_found`, `validation_failed`,
   *   `service_unavailable` (503).
   */
  listGrants(userId: string, options?: CallOptions): Promise<OauthGrant[]>
  /**
   * Ends the access that a user granted to a client: the consent, its codes and its sessions.
   *
   * @param clientId a UUID, or the URL of the client's metadata document.
   * @throws AuthError `feature_disabled` (404), `oauth_consent_not_found` (404), `user_not_found`,
   *   `validation_failed`, `service_unavailable` (503).
   */
  revokeGrant(userId: string, clientId: string, options?: CallOptions): Promise<void>
}

/** The administration of external providers that are registered while the service runs. */
export interface CustomProvidersApi {
  /**
   * Lists the providers, the oldest first.
   *
   * @throws AuthError `feature_disabled` (404), `bad_json`, `request_entity_too_large` (413),
   *   `service_unavailable` (503), `validation_failed`.
   */
  listProviders(
    input?: ListCustomProvidersInput,
    options?: CallOptions,
  ): Promise<{ providers: CustomProvider[] }>
  /**
   * Registers a provider. That of OpenID Connect has to publish its discovery document.
   *
   * @throws AuthError `conflict`, `feature_disabled` (404), `over_custom_provider_quota`,
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `validation_failed`.
   */
  createProvider(input: CreateCustomProviderInput, options?: CallOptions): Promise<CustomProvider>
  /**
   * Returns the provider with this identifier.
   *
   * @param identifier such as `custom:acme`.
   * @throws AuthError `custom_provider_not_found` (404), `feature_disabled` (404),
   *   `service_unavailable` (503), `validation_failed`.
   */
  getProvider(identifier: string, options?: CallOptions): Promise<CustomProvider>
  /**
   * Changes a provider, at once in every process. Members that are absent stay as they are.
   *
   * @param identifier such as `custom:acme`.
   * @throws AuthError `conflict`, `custom_provider_not_found` (404), `feature_disabled` (404),
   *   `bad_json`, `request_entity_too_large` (413), `service_unavailable` (503),
   *   `validation_failed`.
   */
  updateProvider(
    identifier: string,
    changes: UpdateCustomProviderInput,
    options?: CallOptions,
  ): Promise<CustomProvider>
  /**
   * Deletes a provider. Identities of users stay, and can no longer sign in.
   *
   * @param identifier such as `custom:acme`.
   * @throws AuthError `custom_provider_not_found` (404), `feature_disabled` (404),
   *   `service_unavailable` (503), `validation_failed`.
   */
  deleteProvider(identifier: string, options?: CallOptions): Promise<void>
}

/**
 * The names of the methods. `npm run docs` generates them, and the `@throws` of methods that
 * endpoints implement.
 */
export const adminMethods: MethodsOf<AdminApi> = {
  inviteUser: true,
  generateLink: true,
  listUsers: true,
  createUser: true,
  getUser: true,
  updateUser: true,
  deleteUser: true,
  listSessions: true,
  signOut: true,
  revokeSession: true,
  listFactors: true,
  deleteFactor: true,
  getRecoveryCodes: true,
  listPasskeys: true,
  deletePasskey: true,
  listTrustedDevices: true,
  deleteTrustedDevice: true,
  'oauth.createClient': true,
  'oauth.listClients': true,
  'oauth.getClient': true,
  'oauth.updateClient': true,
  'oauth.deleteClient': true,
  'oauth.regenerateClientSecret': true,
  'oauth.listGrants': true,
  'oauth.revokeGrant': true,
  'customProviders.listProviders': true,
  'customProviders.createProvider': true,
  'customProviders.getProvider': true,
  'customProviders.updateProvider': true,
  'customProviders.deleteProvider': true,
  listAudit: true,
  findUser: true,
  exportUser: true,
  eraseUser: true,
  banUser: true,
  unbanUser: true,
  getProviderToken: true,
  explain: true,
  importUsers: true,
}
