/**
 * The contents of docs/api.md: members of the service by task, each with its method of
 * `@supabase/auth-js`.
 */

export interface ApiTopic {
  title: string
  /** Pages of docs/ that describe the task, without `.md`. */
  guides: readonly string[]
  /** The method of the client of each member; null where the client has none. */
  members: Readonly<Record<string, string | null>>
}

export const apiTopics: readonly ApiTopic[] = [
  {
    title: 'The service',
    guides: ['start', 'hosts', 'serverless', 'development', 'testing', 'mikro-orm'],
    members: {
      'auth.ready': null,
      'auth.fetch': null,
      'auth.app': null,
      'auth.basePath': null,
      'auth.mailboxUrl': null,
      'auth.runDueWork': null,
      'auth.close': null,
    },
  },
  {
    title: 'The user of a request',
    guides: ['hosts', 'cookies', 'factors', 'concepts', 'verify', 'row-level-security'],
    members: {
      'auth.requireUser': null,
      'auth.verifyToken': 'getClaims',
      'auth.callOptions': null,
      'auth.protectedResource': null,
    },
  },
  {
    title: 'Sign up',
    guides: ['flows', 'passwords', 'usernames', 'anonymous', 'captcha', 'limits'],
    members: {
      'auth.api.signUp': 'signUp',
      'auth.api.signInAnonymously': 'signInAnonymously',
      'auth.api.resend': 'resend',
    },
  },
  {
    title: 'Sign in',
    guides: ['passwords', 'usernames', 'links', 'wallets', 'sms', 'hooks'],
    members: {
      'auth.api.signInWithPassword': 'signInWithPassword',
      'auth.api.signInWithOtp': 'signInWithOtp',
      'auth.api.verifyOtp': 'verifyOtp',
      'auth.api.followLink': null,
      'auth.api.signInWithWeb3': 'signInWithWeb3',
    },
  },
  {
    title: 'Sign in with a provider',
    guides: ['providers', 'provider-tokens', 'redirects'],
    members: {
      'auth.api.signInWithOAuth': 'signInWithOAuth',
      'auth.api.exchangeCodeForSession': 'exchangeCodeForSession',
      'auth.api.signInWithIdToken': 'signInWithIdToken',
      'auth.api.linkIdentity': 'linkIdentity',
      'auth.api.unlinkIdentity': 'unlinkIdentity',
      'auth.api.getProviderToken': null,
      'auth.api.explainRedirect': null,
    },
  },
  {
    title: 'Recover an account',
    guides: ['passwords', 'links'],
    members: { 'auth.api.resetPasswordForEmail': 'resetPasswordForEmail' },
  },
  {
    title: 'The signed-in user',
    guides: ['users', 'passwords'],
    members: {
      'auth.api.getUser': 'getUser',
      'auth.api.updateUser': 'updateUser',
      'auth.api.reauthenticate': 'reauthenticate',
      'auth.api.deleteUser': null,
    },
  },
  {
    title: 'Sessions',
    guides: ['concepts', 'cookies'],
    members: {
      'auth.api.refreshSession': 'refreshSession',
      'auth.api.listSessions': null,
      'auth.api.revokeSession': null,
      'auth.api.signOut': 'signOut',
    },
  },
  {
    title: 'Second factors',
    guides: ['factors'],
    members: {
      'auth.api.enrollFactor': 'mfa.enroll',
      'auth.api.challengeFactor': 'mfa.challenge',
      'auth.api.verifyFactor': 'mfa.verify',
      'auth.api.unenrollFactor': 'mfa.unenroll',
      'auth.api.generateRecoveryCodes': 'mfa.recoveryCodes.generate',
      'auth.api.getRecoveryCodes': 'mfa.recoveryCodes.getStatus',
      'auth.api.verifyRecoveryCode': 'mfa.recoveryCodes.verify',
      'auth.api.regenerateRecoveryCodes': 'mfa.recoveryCodes.regenerate',
      'auth.api.unenrollRecoveryCodes': 'mfa.recoveryCodes.unenroll',
      'auth.api.trustDevice': null,
      'auth.api.verifyTrustedDevice': null,
      'auth.api.listTrustedDevices': null,
      'auth.api.deleteTrustedDevice': null,
    },
  },
  {
    title: 'Passkeys',
    guides: ['passkeys'],
    members: {
      'auth.api.startPasskeyRegistration': 'passkey.startRegistration',
      'auth.api.verifyPasskeyRegistration': 'passkey.verifyRegistration',
      'auth.api.startPasskeyAuthentication': 'passkey.startAuthentication',
      'auth.api.verifyPasskeyAuthentication': 'passkey.verifyAuthentication',
      'auth.api.startPasskeySignUp': null,
      'auth.api.verifyPasskeySignUp': null,
      'auth.api.listPasskeys': 'passkey.list',
      'auth.api.updatePasskey': 'passkey.update',
      'auth.api.deletePasskey': 'passkey.delete',
    },
  },
  {
    title: 'Access of OAuth clients',
    guides: ['oauth-server'],
    members: {
      'auth.api.oauth.getAuthorizationDetails': 'oauth.getAuthorizationDetails',
      'auth.api.oauth.approveAuthorization': 'oauth.approveAuthorization',
      'auth.api.oauth.denyAuthorization': 'oauth.denyAuthorization',
      'auth.api.oauth.getDevice': null,
      'auth.api.oauth.listGrants': 'oauth.listGrants',
      'auth.api.oauth.revokeGrant': 'oauth.revokeGrant',
    },
  },
  {
    title: 'Users, for operators',
    guides: ['users', 'import', 'moving-in', 'moving-from-better-auth', 'moving-from-auth-js'],
    members: {
      'auth.admin.createUser': 'admin.createUser',
      'auth.admin.inviteUser': 'admin.inviteUserByEmail',
      'auth.admin.generateLink': 'admin.generateLink',
      'auth.admin.getUser': 'admin.getUserById',
      'auth.admin.findUser': null,
      'auth.admin.listUsers': 'admin.listUsers',
      'auth.admin.updateUser': 'admin.updateUserById',
      'auth.admin.banUser': 'admin.updateUserById',
      'auth.admin.unbanUser': 'admin.updateUserById',
      'auth.admin.deleteUser': 'admin.deleteUser',
      'auth.admin.exportUser': null,
      'auth.admin.eraseUser': null,
      'auth.admin.importUsers': null,
      'auth.admin.getProviderToken': null,
    },
  },
  {
    title: 'Sessions and factors, for operators',
    guides: ['users', 'factors', 'passkeys'],
    members: {
      'auth.admin.listSessions': null,
      'auth.admin.revokeSession': null,
      'auth.admin.signOut': null,
      'auth.admin.listFactors': 'admin.mfa.listFactors',
      'auth.admin.deleteFactor': 'admin.mfa.deleteFactor',
      'auth.admin.getRecoveryCodes': null,
      'auth.admin.listPasskeys': 'admin.passkey.listPasskeys',
      'auth.admin.deletePasskey': 'admin.passkey.deletePasskey',
      'auth.admin.listTrustedDevices': null,
      'auth.admin.deleteTrustedDevice': null,
    },
  },
  {
    title: 'External providers, for operators',
    guides: ['providers'],
    members: {
      'auth.admin.customProviders.createProvider': 'admin.customProviders.createProvider',
      'auth.admin.customProviders.listProviders': 'admin.customProviders.listProviders',
      'auth.admin.customProviders.getProvider': 'admin.customProviders.getProvider',
      'auth.admin.customProviders.updateProvider': 'admin.customProviders.updateProvider',
      'auth.admin.customProviders.deleteProvider': 'admin.customProviders.deleteProvider',
    },
  },
  {
    title: 'Clients of the OAuth server, for operators',
    guides: ['oauth-server'],
    members: {
      'auth.admin.oauth.createClient': 'admin.oauth.createClient',
      'auth.admin.oauth.listClients': 'admin.oauth.listClients',
      'auth.admin.oauth.getClient': 'admin.oauth.getClient',
      'auth.admin.oauth.updateClient': 'admin.oauth.updateClient',
      'auth.admin.oauth.regenerateClientSecret': 'admin.oauth.regenerateClientSecret',
      'auth.admin.oauth.deleteClient': 'admin.oauth.deleteClient',
      'auth.admin.oauth.listGrants': null,
      'auth.admin.oauth.revokeGrant': null,
    },
  },
  {
    title: 'Audit log and messages, for operators',
    guides: ['audit', 'operations', 'outbox', 'mail'],
    members: {
      'auth.admin.listAudit': null,
      'auth.admin.explain': null,
      'auth.outbox.discard': null,
      'auth.outbox.list': null,
      'auth.outbox.preview': null,
      'auth.outbox.retry': null,
    },
  },
]

/** The meanings of fields without a doc comment. A field has the same meaning in all inputs. */
export const commonFields: Readonly<Record<string, string>> = {
  accessToken: 'The access token of the session.',
  action: 'An action of the [audit log](audit.md). Default: all.',
  appMetadata: 'Merged into the metadata that only operators change; null removes a key.',
  chain: 'The chain of the wallet.',
  challengeId: 'The id of the challenge.',
  codeChallenge: 'The base64url-encoded SHA-256 of the code verifier. RFC 7636 §4.2 defines it.',
  codeChallengeMethod: '`s256`, or `plain` for a challenge that is the verifier itself.',
  deviceId: 'The id of the trusted device.',
  email: 'An email address, in any letter case.',
  factorId: 'The id of the factor.',
  factorType: 'The kind of the factor.',
  id: 'The id of the object.',
  idToken: 'The id token, a JWT.',
  issuer: 'The `iss` of the id token.',
  lookUp: 'One of the forms of the type.',
  passkeyId: 'The id of the passkey.',
  password: 'A password. [Passwords](passwords.md) describes the policy.',
  phone: 'A phone number, in E.164.',
  phoneConfirm: 'Whether the phone is confirmed at once. Default false.',
  provider: 'The name of the provider in the configuration.',
  redirectTo: 'The URL at which the flow ends: [Redirects](redirects.md). Default: the site.',
  refreshToken: 'The refresh token of the session. It is valid once.',
  request: 'The request that the host received.',
  sessionId: 'The id of the session.',
  source: 'The users to store.',
  strict: 'With `false`, the token alone is verified. Default `true`.',
  token: 'The `token` of the link.',
  type: 'The kind of the message, as in its link.',
  url: 'The URL to check.',
  userId: 'The id of the user.',
  username: 'A user name, in any letter case.',
}

/** Returns the members that the page describes, such as `auth.api.signUp`. */
export const memberNames = (): string[] => apiTopics.flatMap(({ members }) => Object.keys(members))
