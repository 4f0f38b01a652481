import type { AuthErrorCode } from './auth-error.ts'

/** The documentation of a code in `docs/errors.md`. */
export interface ErrorMeaning {
  topic: ErrorTopic
  /** The HTTP statuses of the code, the usual one first. */
  statuses: readonly [number, ...number[]]
  /** The cause. */
  means: string
  /** The reaction of the client. */
  client?: string
  /** The correction by the developer, if the application is the cause. */
  developer?: string
  /** The checks and settings of the operator. */
  operator?: string
}

export const errorTopics = [
  'Requests',
  'Sign-up and sign-in',
  'Links and codes',
  'Passwords',
  'Sessions and tokens',
  'Users and addresses',
  'Limits',
  'External providers',
  'Second factors',
  'Passkeys',
  'Wallets',
  'Hooks',
  'The service',
] as const

export type ErrorTopic = (typeof errorTopics)[number]

/** The meaning of a feature that is disabled. */
const switchedOff = (what: string, setting: string): Pick<ErrorMeaning, 'client' | 'operator'> => ({
  client: `Do not offer ${what}. \`GET /settings\` says what is switched on.`,
  operator: `Set \`${setting}\` to switch it on.`,
})

/** The meaning of each code. The compiler requires all of them. */
export const errorMeanings: Readonly<Record<AuthErrorCode, ErrorMeaning>> = {
  // Requests
  bad_json: {
    topic: 'Requests',
    statuses: [400],
    means:
      'The body is not JSON, or a field has the wrong JSON type, such as a number where a text belongs.',
    developer: 'Send JSON, with the types of the endpoint. The message names the field.',
  },
  validation_failed: {
    topic: 'Requests',
    statuses: [400, 422, 404, 414],
    means:
      'A field is missing, or its value breaks a rule. With 422, an email address is malformed, or metadata is too large. With 404, an id in the path is malformed, or there is nothing under it. With 414, the query is too long.',
    client: 'Show the message beside the field that it names.',
    developer:
      'Compare the request with [Endpoints](endpoints.md). “provider is not enabled” means that the configuration has no such provider: [External providers](providers.md).',
  },
  not_found: {
    topic: 'Requests',
    statuses: [404],
    means: 'There is no such endpoint.',
    developer:
      'Check the path. Where the service is mounted, `basePath` has to be the path of the mount, and the URL of the client has to end with it.',
  },
  method_not_allowed: {
    topic: 'Requests',
    statuses: [405],
    means: 'The path exists, with other methods. The header `Allow` lists them.',
    developer: 'Use one of these methods.',
  },
  request_entity_too_large: {
    topic: 'Requests',
    statuses: [413],
    means: 'The body is larger than the endpoint reads.',
    developer:
      'Send less. Large data belongs into tables of your own, not into the metadata of a user.',
  },
  request_timeout: {
    topic: 'Requests',
    statuses: [504],
    means: 'The request took longer than it may. What it asked for may still happen.',
    client: 'Look whether it happened, then try again.',
    operator:
      'Find out what was slow: the database, a hook or a provider. `AUTH_API_MAX_REQUEST_DURATION` is the limit.',
  },
  conflict: {
    topic: 'Requests',
    statuses: [409],
    means:
      'Another request changed the same thing at the same moment, or a sign-in leads to several accounts.',
    client: 'Try again once. If it stays, ask the person to sign in another way.',
    operator:
      'After a sign-in through a provider: look whether several users have the addresses that the provider names.',
  },
  origin_not_allowed: {
    topic: 'Requests',
    statuses: [403],
    means:
      'A request with session cookies came from a page of another origin, or does not say from which.',
    developer:
      'Send it from a page of the application. `origin` of `createCookieSessions` has to be the origin that people see: [Sessions in cookies](cookies.md).',
  },
  captcha_failed: {
    topic: 'Requests',
    statuses: [400],
    means:
      'A captcha is asked for, and none came, or it was not solved, has expired or was used before.',
    client: 'Let the person solve a new captcha, and send its token as `captcha_token`.',
    operator:
      'If it happens to everybody, compare secret, host names and actions: [Captchas](captcha.md).',
  },

  // Sign-up and sign-in
  invalid_credentials: {
    topic: 'Sign-up and sign-in',
    statuses: [400],
    means:
      'Address and password do not fit together. It is the same answer whether or not the address is known. Also: an id token or a signed message of a wallet was not accepted, or your hook `passwordVerificationAttempt` has rejected the attempt. With the message `grant_type: …`, the query of `POST /token` names no grant type, or none that there is.',
    client:
      'Show one text, such as “Email or password is wrong”, and offer a new password by mail.',
    developer: 'Call `POST /token?grant_type=password`: it belongs in the query, not in the body.',
  },
  email_not_confirmed: {
    topic: 'Sign-up and sign-in',
    statuses: [400, 422, 403],
    means:
      'The password (or passkey) is right, but nobody has proved the email address yet. With 422, the action needs a proved address, or a mail has been sent to confirm the address that came with a linked account.',
    client:
      'Ask the person to open the link of the mail, and offer to send it again (`POST /resend`).',
    operator: 'Look whether the mail was sent: `latchkey outbox list`.',
  },
  phone_not_confirmed: {
    topic: 'Sign-up and sign-in',
    statuses: [400, 422, 403],
    means: 'The same for a phone number.',
    client: 'Ask for the code of the SMS, and offer to send it again (`POST /resend`).',
  },
  user_already_exists: {
    topic: 'Sign-up and sign-in',
    statuses: [422, 400],
    means:
      'Somebody has this address already. It is told only where addresses are confirmed automatically; otherwise a sign-up with a known address looks like any other. For an operator: somebody has this id.',
    client: 'Offer to sign in instead.',
  },
  user_banned: {
    topic: 'Sign-up and sign-in',
    statuses: [403, 400],
    means:
      'An operator has banned the user. At a sign-in it is told only to somebody with the right password.',
    client: 'Say that the account is locked and whom to ask.',
    operator: '`latchkey admin unban USER` lifts the ban.',
  },
  signup_disabled: {
    topic: 'Sign-up and sign-in',
    statuses: [422],
    means: 'New users are not accepted, at all or by this way (a passkey alone).',
    client: 'Do not offer a sign-up. `GET /settings` says so as `disable_signup`.',
    operator:
      'Set `AUTH_DISABLE_SIGNUP=false`, or `AUTH_PASSKEY_SIGN_UP_ENABLED=true` for passkeys. Operators can invite people in either case.',
  },
  email_provider_disabled: {
    topic: 'Sign-up and sign-in',
    statuses: [400, 422],
    means: 'Sign-up and sign-in by email are switched off.',
    ...switchedOff('email', 'AUTH_EXTERNAL_EMAIL_ENABLED=true'),
  },
  phone_provider_disabled: {
    topic: 'Sign-up and sign-in',
    statuses: [400, 422],
    means: 'Sign-up and sign-in by phone are switched off.',
    ...switchedOff('phone numbers', 'AUTH_EXTERNAL_PHONE_ENABLED=true'),
  },
  anonymous_provider_disabled: {
    topic: 'Sign-up and sign-in',
    statuses: [422],
    means: 'Anonymous sign-ins are switched off. A sign-up without email and phone counts as one.',
    developer: 'If no anonymous user was meant, send `email` or `phone`.',
    operator: 'Set `AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED=true` to switch them on.',
  },
  otp_disabled: {
    topic: 'Sign-up and sign-in',
    statuses: [422],
    means: 'A link or code was asked for with `create_user: false`, and nobody has the address.',
    client: 'Offer a sign-up, if you have one.',
  },
  saml_provider_disabled: {
    topic: 'Sign-up and sign-in',
    statuses: [404],
    means: 'Single sign-on by SAML 2.0 is not built yet.',
    client: 'Do not offer it.',
  },

  // Links and codes
  otp_expired: {
    topic: 'Links and codes',
    statuses: [403],
    means:
      'The link or code is wrong, spent, expired, or was replaced by a newer one. Nobody can tell which from the answer.',
    client:
      'Offer to send a new one. Use the newest mail. If people get this at the first click, a mail scanner may have opened the link: [Links in mails](links.md).',
    operator:
      '`AUTH_MAILER_OTP_EXP` and `AUTH_SMS_OTP_EXP` say how long they are good; `AUTH_LINKS_CONFIRM=button` protects from mail scanners.',
  },
  flow_state_not_found: {
    topic: 'Links and codes',
    statuses: [404],
    means: 'The code of the PKCE flow is unknown or was traded before. It is good once.',
    client: 'Begin the sign-in again.',
    developer: 'Trade the code once. Many frameworks render a page twice in development.',
  },
  flow_state_expired: {
    topic: 'Links and codes',
    statuses: [422],
    means: 'The code of the PKCE flow was traded too late.',
    client: 'Begin the sign-in again.',
  },
  bad_code_verifier: {
    topic: 'Links and codes',
    statuses: [400],
    means: 'The code verifier does not fit the code challenge with which the flow began.',
    client:
      'Begin again, and finish in the same browser: the verifier is stored where the flow began, and a link opened on another device does not find it.',
  },
  invite_not_found: {
    topic: 'Links and codes',
    statuses: [404],
    means: 'The invitation was accepted or taken back, or it has expired.',
    client: 'Ask the person to have themselves invited again.',
    operator: 'Invite them again: `POST /invite`, or `auth.admin.inviteUser`.',
  },

  // Passwords
  weak_password: {
    topic: 'Passwords',
    statuses: [422],
    means:
      'The new password breaks a rule. `weak_password.reasons` lists `length`, `characters` and `pwned` (known from breaches); in code `error.details.weakPasswordReasons`.',
    client: 'Show the reasons beside the field.',
    operator: 'The rules are `AUTH_PASSWORD_*`: [Passwords](passwords.md).',
  },
  same_password: {
    topic: 'Passwords',
    statuses: [422],
    means: 'The new password is the one that the user has.',
    client: 'Ask for another one.',
  },
  current_password_required: {
    topic: 'Passwords',
    statuses: [400],
    means: 'A new password needs the current one, and it did not come.',
    developer: 'Send it as `current_password` (`currentPassword` in code).',
    operator: '`AUTH_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD` asks for it.',
  },
  current_password_invalid: {
    topic: 'Passwords',
    statuses: [400],
    means: 'The current password that came with a new one is wrong.',
    client: 'Ask for it again, and offer a new password by mail.',
  },
  reauthentication_needed: {
    topic: 'Passwords',
    statuses: [400, 403],
    means:
      'The change needs a nonce that was just sent to the user. From `requireUser` with `within`, and from endpoints that add or replace a credential (403): the sign-in or the proof of the second factor is too long ago.',
    client:
      'With 400: call `GET /reauthenticate`, ask for the code of the message, and send the request again with it as `nonce`. With 403: `step_up` in the body, `details.stepUp` in code, is `verify` to prove a factor again in this session, or `sign_in` to sign in again.',
  },
  reauthentication_not_valid: {
    topic: 'Passwords',
    statuses: [422],
    means: 'The nonce is wrong, spent or expired.',
    client: 'Ask for a new one by `GET /reauthenticate`.',
  },

  // Sessions and tokens
  no_authorization: {
    topic: 'Sessions and tokens',
    statuses: [401, 403],
    means:
      'The request has no access token. With 403: there is one, but of somebody who may not do this, such as an anonymous user.',
    client: 'Sign in.',
    developer: 'Send `Authorization: Bearer <access token>`.',
  },
  bad_jwt: {
    topic: 'Sessions and tokens',
    statuses: [403, 401, 400],
    means:
      'The access token is malformed, has expired, or is signed by a key that is not known here. `verifyToken` and `requireUser` throw it with 401.',
    client: 'Refresh the session and send the request again. The clients do so by themselves.',
    operator:
      'If it happens to everybody: did `AUTH_JWT_SECRET` or `AUTH_JWT_KEYS` change, or is the clock of a host wrong? `latchkey doctor` looks.',
  },
  session_not_found: {
    topic: 'Sessions and tokens',
    statuses: [403, 401, 404],
    means:
      'The session behind the access token has ended: signed out, revoked, or ended by a new password. With 404: the user has no such session to end.',
    client: 'Forget the tokens, and let the person sign in.',
  },
  session_expired: {
    topic: 'Sessions and tokens',
    statuses: [400, 403, 401],
    means:
      'The session has reached its time box, was not used for too long, was replaced by a newer one, or went without the second factor for too long. Refreshing it returns 400; an access token of it is rejected with 403, by `requireUser` with 401.',
    client: 'Let the person sign in again.',
    operator: 'The limits are `AUTH_SESSIONS_*`.',
  },
  refresh_token_not_found: {
    topic: 'Sessions and tokens',
    statuses: [400],
    means:
      'The refresh token belongs to no session: the user signed out, or the session was removed.',
    client: 'Forget the tokens, and let the person sign in.',
  },
  refresh_token_already_used: {
    topic: 'Sessions and tokens',
    statuses: [400],
    means:
      'A refresh token was used again, later than the reuse interval allows. Somebody may have stolen it, so the session is revoked.',
    client: 'Let the person sign in again.',
    developer:
      'Two parts of the application may keep the same refresh token. Let one place refresh, and share its result: [Flows](flows.md#refresh).',
    operator:
      '`AUTH_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL` is the interval. An event `session.ended` with `token_reused` tells of it.',
  },
  unexpected_audience: {
    topic: 'Sessions and tokens',
    statuses: [403],
    means: 'The header `X-JWT-AUD` names another audience than that of the access token.',
    developer: 'Leave the header out, or send the audience that the user signed in to.',
  },
  not_admin: {
    topic: 'Sessions and tokens',
    statuses: [403],
    means: 'The endpoint is for operators, or a field may be changed by operators only.',
    developer:
      'Call it with an operator’s token, from a server and never from a browser: [Users, for operators](users.md). In your own process `auth.admin` needs none.',
    operator: '`AUTH_JWT_ADMIN_ROLES` lists the roles of operators.',
  },

  // Users and addresses
  user_not_found: {
    topic: 'Users and addresses',
    statuses: [404, 403, 401],
    means: 'There is no such user. With 403 or 401: the user of the access token was deleted.',
    client: 'Of an own access token: forget it, and let the person sign in.',
  },
  email_exists: {
    topic: 'Users and addresses',
    statuses: [422, 400],
    means: 'Somebody else has proved this email address.',
    client: 'Ask for another address, or let the person sign in to the account that has it.',
  },
  phone_exists: {
    topic: 'Users and addresses',
    statuses: [422],
    means: 'Somebody else has proved this phone number.',
    client: 'Ask for another number, or let the person sign in to the account that has it.',
  },
  email_address_invalid: {
    topic: 'Users and addresses',
    statuses: [400],
    means:
      'No mail can be delivered to the address: its domain has no mail server, is blocked, or the validation service refuses it.',
    client: 'Ask whether the address is spelled correctly.',
    operator: '`AUTH_MAILER_EMAIL_VALIDATION_*` say what is checked: [Mail](mail.md).',
  },
  email_address_not_authorized: {
    topic: 'Users and addresses',
    statuses: [400],
    means: 'Mails go to listed addresses only, and this one is not listed.',
    operator:
      '`AUTH_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES` is the list. Leave it empty for all addresses.',
  },
  identity_already_exists: {
    topic: 'Users and addresses',
    statuses: [422],
    means: 'The account at the provider is linked already, to this user or to another one.',
    client: 'Let the person sign in with it, instead of linking it.',
  },
  too_many_identities: {
    topic: 'Users and addresses',
    statuses: [422],
    means: 'The user has as many identities as a user may have: 50.',
    client: 'Let the person remove one.',
  },
  identity_not_found: {
    topic: 'Users and addresses',
    statuses: [422, 404],
    means: 'The user has no such identity; with 404, none of this provider.',
    developer:
      'Take the identity from `identities` of the user, and its `identity_id` for unlinking.',
  },
  single_identity_not_deletable: {
    topic: 'Users and addresses',
    statuses: [422],
    means: 'It is the last way to sign in, so it cannot be removed.',
    client: 'Let the person add another one first.',
  },
  email_conflict_identity_not_deletable: {
    topic: 'Users and addresses',
    statuses: [422],
    means:
      'Without this identity, the user would be left with an address that nobody has proved, or that is somebody else’s.',
    client: 'Let the person confirm an address first.',
  },
  manual_linking_disabled: {
    topic: 'Users and addresses',
    statuses: [404],
    means: 'Users cannot link or unlink accounts at providers.',
    ...switchedOff('linking', 'AUTH_SECURITY_MANUAL_LINKING_ENABLED=true'),
  },

  // Limits
  over_request_rate_limit: {
    topic: 'Limits',
    statuses: [429],
    means: 'The client, or whoever guesses at this account, has sent too many requests.',
    client: 'Wait for `Retry-After` seconds (`retry_after` in the body), then try again.',
    operator:
      '[Limits](limits.md) lists all of them. If everybody meets it: behind a proxy, `AUTH_RATE_LIMIT_HEADER` has to name the header with the client’s address. `latchkey why REQUEST_ID` tells which limit it was.',
  },
  over_email_send_rate_limit: {
    topic: 'Limits',
    statuses: [429],
    means:
      'A mail was sent to this address a moment ago, or the service has sent as many mails as it may in an hour. It is answered for unknown addresses too.',
    client: 'Say how long to wait (`retry_after`), and to look into the mailbox until then.',
    operator:
      '`AUTH_SMTP_MAX_FREQUENCY` is the interval for one address, `AUTH_RATE_LIMIT_EMAIL_SENT` the number for all.',
  },
  over_sms_send_rate_limit: {
    topic: 'Limits',
    statuses: [429],
    means: 'The same for SMS.',
    client: 'Say how long to wait (`retry_after`).',
    operator:
      '`AUTH_SMS_MAX_FREQUENCY` is the interval for one number, `AUTH_RATE_LIMIT_SMS_SENT` the number for all.',
  },
  sms_send_failed: {
    topic: 'Limits',
    statuses: [422],
    means:
      'No SMS can be sent to this number: there is no carrier, or none is allowed for its country.',
    client: 'Offer another way, such as email.',
    operator:
      'Configure a carrier, or allow the country in `AUTH_SMS_ALLOWED_PREFIXES`: [SMS](sms.md). A message that fails later is in `latchkey outbox list`.',
  },

  // External providers
  provider_disabled: {
    topic: 'External providers',
    statuses: [400],
    means: 'The provider of an id token is switched off.',
    client: 'Do not offer it. `GET /settings` lists under `external` what is on.',
    operator: 'Switch it on: [External providers](providers.md).',
  },
  provider_email_needs_verification: {
    topic: 'External providers',
    statuses: [422],
    means:
      'The provider has not verified the email address, so a mail has been sent to confirm it.',
    client: 'Ask the person to open the link of the mail.',
  },
  bad_oauth_callback: {
    topic: 'External providers',
    statuses: [400],
    means: 'The provider sent the browser back without the code that it should have brought.',
    client: 'Begin the sign-in again.',
    operator: 'If it stays, compare the settings at the provider with those here.',
  },
  bad_oauth_state: {
    topic: 'External providers',
    statuses: [400],
    means: 'The state is unknown, expired or used, or another browser came back with it.',
    client: 'Begin the sign-in again, and finish it in the same browser.',
    operator:
      'If it happens to everybody: `AUTH_API_EXTERNAL_URL` has to be the host that browsers see, since a cookie of that host binds the state.',
  },
  provider_token_not_found: {
    topic: 'External providers',
    statuses: [404],
    means: 'No token of this provider is kept for the user.',
    client: 'Let the person sign in through the provider again.',
    operator:
      'Tokens are kept only where that is switched on: [Tokens of providers](provider-tokens.md).',
  },
  provider_token_expired: {
    topic: 'External providers',
    statuses: [403],
    means: 'The kept token has expired, and the provider does not renew it.',
    client: 'Let the person sign in through the provider again.',
  },

  // Second factors
  insufficient_aal: {
    topic: 'Second factors',
    statuses: [403, 401, 422],
    means: 'The user has a second factor, and has not shown it in this session.',
    client:
      'Let the person show it (`mfa.challengeAndVerify`), then send the request again with the new access token.',
    operator: 'A token of an operator who is a user needs it too.',
  },
  mfa_factor_not_found: {
    topic: 'Second factors',
    statuses: [404, 422, 403],
    means:
      'The user has no such factor; with 422, no such challenge. From `requireUser` with `aal: 2` (403): the user has no verified factor at all.',
    client: 'List the factors again. With 403, let the person enroll one.',
  },
  mfa_factor_name_conflict: {
    topic: 'Second factors',
    statuses: [422],
    means: 'The user has a factor of this name, or one without a name, already.',
    client: 'Ask for a name that is new (`friendly_name`).',
  },
  mfa_challenge_expired: {
    topic: 'Second factors',
    statuses: [422],
    means: 'The challenge was answered too late.',
    client: 'Create a new challenge.',
    operator: '`AUTH_MFA_CHALLENGE_EXPIRY_DURATION` says how long one is good.',
  },
  mfa_ip_address_mismatch: {
    topic: 'Second factors',
    statuses: [422],
    means: 'The challenge was created from another IP address than it is answered from.',
    client: 'Create a new challenge, and answer it from the same network.',
    developer: 'Create and verify in the same place: not one in the browser and one on a server.',
  },
  mfa_verification_failed: {
    topic: 'Second factors',
    statuses: [422],
    means:
      'The code or signature is wrong, or was used before, or the challenge has no attempts left.',
    client: 'Ask for the next code. After five wrong ones create a new challenge.',
    operator: 'If all codes of an app are wrong, compare the clocks of server and phone.',
  },
  mfa_verification_rejected: {
    topic: 'Second factors',
    statuses: [403],
    means:
      'Your hook `mfaVerificationAttempt` has rejected the attempt. All sessions of the user have ended.',
    client: 'Show the message of the hook, and let the person sign in again.',
  },
  mfa_verified_factor_exists: {
    topic: 'Second factors',
    statuses: [422],
    means: 'The user has a verified phone factor, or recovery codes, already.',
    client: 'Remove the phone factor first; of recovery codes generate others in their place.',
  },
  too_many_enrolled_mfa_factors: {
    topic: 'Second factors',
    statuses: [422],
    means: 'The user has as many factors as allowed.',
    client: 'Let the person remove one.',
    operator: '`AUTH_MFA_MAX_ENROLLED_FACTORS` and `AUTH_MFA_MAX_VERIFIED_FACTORS` are the limits.',
  },
  mfa_totp_enroll_not_enabled: {
    topic: 'Second factors',
    statuses: [422],
    means: 'Authenticator apps cannot be enrolled.',
    ...switchedOff('it', 'AUTH_MFA_TOTP_ENROLL_ENABLED=true'),
  },
  mfa_totp_verify_not_enabled: {
    topic: 'Second factors',
    statuses: [422],
    means: 'Authenticator apps cannot be used.',
    ...switchedOff('it', 'AUTH_MFA_TOTP_VERIFY_ENABLED=true'),
  },
  mfa_phone_enroll_not_enabled: {
    topic: 'Second factors',
    statuses: [422],
    means: 'Phones cannot be enrolled as second factors.',
    ...switchedOff('it', 'AUTH_MFA_PHONE_ENROLL_ENABLED=true'),
  },
  mfa_phone_verify_not_enabled: {
    topic: 'Second factors',
    statuses: [422],
    means: 'Phones cannot be used as second factors.',
    ...switchedOff('it', 'AUTH_MFA_PHONE_VERIFY_ENABLED=true'),
  },
  mfa_webauthn_enroll_not_enabled: {
    topic: 'Second factors',
    statuses: [422],
    means: 'Security keys cannot be enrolled.',
    ...switchedOff('it', 'AUTH_MFA_WEB_AUTHN_ENROLL_ENABLED=true'),
  },
  mfa_webauthn_verify_not_enabled: {
    topic: 'Second factors',
    statuses: [422],
    means: 'Security keys cannot be used.',
    ...switchedOff('it', 'AUTH_MFA_WEB_AUTHN_VERIFY_ENABLED=true'),
  },
  mfa_recovery_codes_enroll_not_enabled: {
    topic: 'Second factors',
    statuses: [422],
    means: 'Recovery codes cannot be generated.',
    ...switchedOff('it', 'AUTH_MFA_RECOVERY_CODES_ENROLL_ENABLED=true'),
  },
  mfa_recovery_codes_verify_not_enabled: {
    topic: 'Second factors',
    statuses: [422],
    means: 'Recovery codes cannot be used.',
    ...switchedOff('it', 'AUTH_MFA_RECOVERY_CODES_VERIFY_ENABLED=true'),
  },
  mfa_recovery_codes_locked: {
    topic: 'Second factors',
    statuses: [429],
    means: 'Too many wrong recovery codes were tried.',
    client: 'Wait for `Retry-After` seconds, or let the person show another factor.',
  },
  mfa_recovery_codes_sole_factor: {
    topic: 'Second factors',
    statuses: [422],
    means: 'Recovery codes stand in for another factor, and the user has none that is verified.',
    client: 'Let the person enroll another factor first.',
  },
  trusted_device_not_found: {
    topic: 'Second factors',
    statuses: [404],
    means:
      'The device is not trusted, or no longer: it expired, was removed, or its secret was used before.',
    client: 'Ask for the second factor.',
  },
  trusted_devices_disabled: {
    topic: 'Second factors',
    statuses: [404],
    means: 'Devices cannot be trusted.',
    ...switchedOff('it', 'AUTH_MFA_TRUSTED_DEVICES_ENABLED=true'),
  },

  // Passkeys
  passkey_disabled: {
    topic: 'Passkeys',
    statuses: [404],
    means: 'Passkeys are switched off.',
    ...switchedOff('them', 'AUTH_PASSKEY_ENABLED=true'),
  },
  too_many_passkeys: {
    topic: 'Passkeys',
    statuses: [422],
    means: 'The user has as many passkeys as allowed.',
    client: 'Let the person remove one.',
    operator: '`AUTH_PASSKEY_MAX_PASSKEYS_PER_USER` is the limit.',
  },
  webauthn_challenge_expired: {
    topic: 'Passkeys',
    statuses: [400],
    means: 'The ceremony took too long.',
    client: 'Begin it again.',
    operator: '`AUTH_WEBAUTHN_CHALLENGE_EXPIRY_DURATION` says how long it may take.',
  },
  webauthn_challenge_not_found: {
    topic: 'Passkeys',
    statuses: [400],
    means: 'The challenge is unknown, was answered before, or belongs to another session.',
    client: 'Begin the ceremony again.',
  },
  webauthn_credential_exists: {
    topic: 'Passkeys',
    statuses: [422],
    means: 'The passkey or security key is registered already, by this user or another one.',
    client: 'Let the person sign in with it, or choose another one.',
  },
  webauthn_verification_failed: {
    topic: 'Passkeys',
    statuses: [400],
    means:
      'The answer of the browser was not accepted: another page or key, a user who was not verified, or a passkey that is gone.',
    client: 'Begin again, or offer another way to sign in.',
    operator:
      'If it happens to everybody: `AUTH_WEBAUTHN_RP_ID` and `AUTH_WEBAUTHN_RP_ORIGINS` have to fit the pages: [Passkeys](passkeys.md).',
  },

  // Wallets
  web3_provider_disabled: {
    topic: 'Wallets',
    statuses: [422],
    means: 'Sign-in with wallets of this chain is switched off.',
    client: 'Do not offer it.',
    operator:
      'Set `AUTH_EXTERNAL_WEB3_ETHEREUM_ENABLED=true` or `AUTH_EXTERNAL_WEB3_SOLANA_ENABLED=true`.',
  },
  web3_unsupported_chain: {
    topic: 'Wallets',
    statuses: [400],
    means: '`chain` is neither `ethereum` nor `solana`.',
    developer: 'Send one of them.',
  },

  // Hooks
  hook_timeout: {
    topic: 'Hooks',
    statuses: [422],
    means: 'A hook did not answer in time.',
    client: 'Try again.',
    operator: 'Make the hook faster, or move slow work behind its answer: [Hooks](hooks.md).',
  },
  hook_timeout_after_retry: {
    topic: 'Hooks',
    statuses: [422],
    means: 'A hook could not be reached, in several attempts.',
    client: 'Try again later.',
    operator: 'Look whether its URL answers from where the service runs.',
  },
  hook_payload_over_size_limit: {
    topic: 'Hooks',
    statuses: [422],
    means: 'The answer of a hook is too large.',
    operator: 'Let the hook answer less.',
  },
  hook_payload_invalid_content_type: {
    topic: 'Hooks',
    statuses: [400],
    means: 'A hook answered with another content type than `application/json`.',
    operator: 'Let the hook set `Content-Type: application/json`.',
  },
  unknown: {
    topic: 'Hooks',
    statuses: [400],
    means:
      'A hook has refused, with a message of its own and, if it says so, with another status. Hooks give no codes, so there is no better one.',
    client: 'Show the message.',
  },

  // The service
  service_unavailable: {
    topic: 'The service',
    statuses: [503],
    means:
      'Something that is needed cannot be had right now: the database, a captcha service, a provider, or room in the queue for password hashes.',
    client: 'Try again after `Retry-After` seconds. Keep the session: it has not ended.',
    operator: '`GET /ready` says what is missing, and the log says why.',
  },
  unexpected_failure: {
    topic: 'The service',
    statuses: [500],
    means:
      'A fault of the service, of a hook or of a provider. The answer tells nothing more on purpose.',
    client: 'Show the `request_id` of the body, so that people can name it.',
    operator: 'Find the `request_id` in the log: the entry has the cause.',
  },
}
