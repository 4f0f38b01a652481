import { capabilityErrorMeanings } from '../capability-terms.ts'
import type { FactorErrorMeaning } from '../factor-kinds/factor-kind-declaration.ts'
import {
  challengedFactorTypes,
  type FactorOwnError,
  type FactorSwitchError,
  factorKinds,
  factorOwnErrors,
  factorSwitchError,
} from '../factor-kinds/factor-kinds.ts'
import type { AuthErrorCode } from './auth-error.ts'
import type { ErrorMeaning } from './error-meaning.ts'

/** The meaning of a feature that is disabled. */
const disabledFeature = (
  what: string,
  setting: string,
): Pick<ErrorMeaning, 'client' | 'operator'> => ({
  client: `Do not offer ${what}. \`GET /settings\` shows the enabled features.`,
  operator: `Set \`${setting}\` to enable it.`,
})

/** The meanings of the errors for kinds of second factor that are switched off. */
function factorSwitchMeanings(): Record<FactorSwitchError, ErrorMeaning> {
  const meanings = challengedFactorTypes.flatMap((type) => {
    const { authenticators, env } = factorKinds[type]
    const subject = `${authenticators.charAt(0).toUpperCase()}${authenticators.slice(1)}`
    const meaning = (use: 'enroll' | 'verify', done: string): [FactorSwitchError, ErrorMeaning] => [
      factorSwitchError(type, use),
      {
        topic: 'Second factors',
        statuses: [422],
        means: `${subject} cannot be ${done} as second factors.`,
        ...disabledFeature('it', `AUTH_MFA_${env}_${use.toUpperCase()}_ENABLED=true`),
      },
    ]
    return [meaning('enroll', 'enrolled'), meaning('verify', 'used')]
  })
  return Object.fromEntries(meanings) as Record<FactorSwitchError, ErrorMeaning>
}

/** The meanings of the errors that only one kind of second factor has. */
function factorOwnMeanings(): Record<FactorOwnError, ErrorMeaning> {
  const meanings = Object.entries<FactorErrorMeaning>(factorOwnErrors)
  return Object.fromEntries(
    meanings.map(([code, meaning]) => [code, { topic: 'Second factors', ...meaning }]),
  ) as Record<FactorOwnError, ErrorMeaning>
}

/** The meaning of each code. The compiler requires all of them. */
export const errorMeanings: Readonly<Record<AuthErrorCode, ErrorMeaning>> = {
  // Requests
  bad_json: {
    topic: 'Requests',
    statuses: [400],
    means:
      'The body is not JSON, or a field has the wrong JSON type, such as a number in place of a string.',
    developer: 'Send JSON, with the types of the endpoint. The message names the field.',
  },
  validation_failed: {
    topic: 'Requests',
    statuses: [400, 422, 404, 414],
    means:
      'A field is missing, or its value violates a rule. With 422, an email address is malformed, or metadata is too large. With 404, an id in the path is malformed or unknown. With 414, the query is too long.',
    client: 'Show the message next to the field that it names.',
    developer:
      'Compare the request with [Endpoints](endpoints.md). “provider is not enabled” means that the configuration has no such provider: [External providers](providers.md).',
  },
  not_found: {
    topic: 'Requests',
    statuses: [404],
    means: 'The endpoint does not exist.',
    developer:
      'Check the path. If the service is mounted, `basePath` must be the path of the mount, and the URL of the client must end with it.',
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
    developer: 'Send less. Store large data in your own tables, not in the metadata of a user.',
  },
  request_timeout: {
    topic: 'Requests',
    statuses: [504],
    means: 'The request exceeded its time limit. It may still take effect.',
    client: 'Check whether it took effect, then try again after `Retry-After` seconds.',
    operator:
      'Find the slow component: the database, a hook or a provider. `AUTH_API_MAX_REQUEST_DURATION` is the limit.',
  },
  conflict: {
    topic: 'Requests',
    statuses: [409, 400],
    means:
      'Another request changed the same resource at the same time, or a sign-in matches several accounts. With 400, another provider has this identifier.',
    client: 'Try again once. If it fails again, ask the user to sign in another way.',
    operator:
      'After a sign-in through a provider: check whether several users have the addresses that the provider returned.',
  },
  origin_not_allowed: {
    topic: 'Requests',
    statuses: [403],
    means: 'A request with session cookies has another origin, or does not state its origin.',
    developer:
      'Send it from a page of the application. `origin` of `createCookieSessions` must be the origin that users see: [Sessions in cookies](cookies.md).',
  },
  captcha_failed: {
    topic: 'Requests',
    statuses: [400],
    means:
      'A captcha is required. The response is missing or wrong, has expired or was used before.',
    client: 'Show a new captcha, and send its token as `captcha_token`.',
    operator:
      'If it affects all users, compare secret, host names and actions: [Captchas](captcha.md).',
  },

  // Sign-up and sign-in
  invalid_credentials: {
    topic: 'Sign-up and sign-in',
    statuses: [400],
    means:
      'Address and password do not match. The response is the same whether or not the address is known. Also: an ID token or a signed message of a wallet was not accepted, or your hook `passwordVerificationAttempt` rejected the attempt. With the message `grant_type: …`, the query of `POST /token` contains no grant type, or an unknown one.',
    client: 'Show one text, such as “Email or password is wrong”, and offer a password reset.',
    developer: 'Call `POST /token?grant_type=password`: it belongs in the query, not in the body.',
  },
  email_not_confirmed: {
    topic: 'Sign-up and sign-in',
    statuses: [400, 422, 403],
    means:
      'The password (or passkey) is correct, but the email address is not confirmed yet. With 422, the action requires a confirmed address, or a mail has been sent to confirm the address of a linked account.',
    client:
      'Ask the user to open the link in the mail, and offer to send it again (`POST /resend`).',
    operator: 'Check whether the mail was sent: `latchkey outbox list`.',
  },
  phone_not_confirmed: {
    topic: 'Sign-up and sign-in',
    statuses: [400, 422, 403],
    means: 'The same for a phone number.',
    client: 'Prompt for the code in the SMS, and offer to send it again (`POST /resend`).',
  },
  sign_in_method_suspended: {
    topic: 'Sign-up and sign-in',
    statuses: [403],
    means:
      'The passkey, wallet or account at a provider was added before the first confirmed address of the account, and the user has a second factor. A message to the address does not suffice to use it. After a sign-in at a provider, the redirect target receives it.',
    client:
      'Let the user sign in another way, verify the second factor, remove this method and add it again.',
    operator:
      'Users remove wallets and accounts at providers only with `AUTH_SECURITY_MANUAL_LINKING_ENABLED=true`. Without it, the user removes the second factor, confirms the method by the message of a sign-in with it, and enrolls the factor again.',
  },
  address_too_new: {
    topic: 'Users and addresses',
    statuses: [422],
    means:
      'The user added or replaced the address in the last day. No nonce for a new password is sent to it, and a code to it does not replace the current password. Users without a password cannot delete the account meanwhile.',
    client: 'Request the current password, or ask the user to try again a day later.',
  },
  user_already_exists: {
    topic: 'Sign-up and sign-in',
    statuses: [422, 400],
    means:
      'Another user has this address. This error is returned only if addresses are confirmed automatically; otherwise a sign-up with a known address looks like any other. For an operator: another user has this id.',
    client: 'Offer to sign in instead.',
  },
  user_banned: {
    topic: 'Sign-up and sign-in',
    statuses: [403, 400],
    means:
      'An operator has banned the user. At a sign-in, this error is returned only with the correct password.',
    client: 'Show that the account is locked, and whom to contact.',
    operator: '`latchkey admin unban USER` lifts the ban.',
  },
  signup_disabled: {
    topic: 'Sign-up and sign-in',
    statuses: [422],
    means: 'New users are not accepted, at all or by this method (a provider, or a passkey alone).',
    client:
      'Do not offer a sign-up by this method. `disable_signup` of `GET /settings` is true if it concerns all methods.',
    operator:
      'Set `AUTH_DISABLE_SIGNUP=false`; for a provider, `AUTH_EXTERNAL_<PROVIDER>_DISABLE_SIGNUP=false`; for passkeys, `AUTH_PASSKEY_SIGN_UP_ENABLED=true`. Operators can invite users in either case.',
  },
  email_provider_disabled: {
    topic: 'Sign-up and sign-in',
    statuses: [400, 422],
    means: 'Sign-up and sign-in by email are disabled.',
    ...disabledFeature('email', 'AUTH_EXTERNAL_EMAIL_ENABLED=true'),
  },
  phone_provider_disabled: {
    topic: 'Sign-up and sign-in',
    statuses: [400, 422],
    means: 'Sign-up and sign-in by phone are disabled.',
    ...disabledFeature('phone numbers', 'AUTH_EXTERNAL_PHONE_ENABLED=true'),
  },
  anonymous_provider_disabled: {
    topic: 'Sign-up and sign-in',
    statuses: [422],
    means: 'Anonymous sign-ins are disabled. A sign-up without email and phone counts as one.',
    developer: 'Unless you intend to create an anonymous user, send `email` or `phone`.',
    operator: 'Set `AUTH_EXTERNAL_ANONYMOUS_USERS_ENABLED=true` to enable them.',
  },
  otp_disabled: {
    topic: 'Sign-up and sign-in',
    statuses: [422],
    means: 'A link or code was requested with `create_user: false`, and no user has the address.',
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
      'The link or code is wrong, was used, has expired, or was replaced by a newer one. The response does not disclose which.',
    client:
      'Offer to send a new one, and ask the user to open the newest mail. If it fails at the first click, a mail scanner may have opened the link: [Links in mails](links.md).',
    operator:
      '`AUTH_MAILER_OTP_EXP` and `AUTH_SMS_OTP_EXP` are their lifetimes; `AUTH_LINKS_CONFIRM=button` protects from mail scanners.',
  },
  flow_state_not_found: {
    topic: 'Links and codes',
    statuses: [404],
    means:
      'The code of the PKCE flow is unknown or was exchanged before. It can be exchanged once.',
    client: 'Restart the sign-in.',
    developer: 'Exchange the code once. Many frameworks render a page twice in development.',
  },
  flow_state_expired: {
    topic: 'Links and codes',
    statuses: [422],
    means: 'The code of the PKCE flow has expired.',
    client: 'Restart the sign-in.',
  },
  bad_code_verifier: {
    topic: 'Links and codes',
    statuses: [400],
    means: 'The code verifier does not match the code challenge that began the flow.',
    client:
      'Restart, and finish in the same browser: the verifier is stored where the flow began, and a link opened on another device does not find it.',
  },
  invite_not_found: {
    topic: 'Links and codes',
    statuses: [404],
    means: 'The invitation was accepted or withdrawn, or it has expired.',
    client: 'Ask the user to request a new invitation.',
    operator: 'Invite the user again: `POST /invite`, or `auth.admin.inviteUser`.',
  },

  // Passwords
  weak_password: {
    topic: 'Passwords',
    statuses: [422],
    means:
      'The new password violates a rule. `weak_password.reasons` lists `length`, `characters` and `pwned` (known from breaches); in code `error.details.weakPasswordReasons`.',
    client: 'Show the reasons next to the field.',
    operator: 'The rules are `AUTH_PASSWORD_*`: [Passwords](passwords.md).',
  },
  same_password: {
    topic: 'Passwords',
    statuses: [422],
    means: 'The new password equals the current one.',
    client: 'Prompt for another one.',
  },
  current_password_required: {
    topic: 'Passwords',
    statuses: [400],
    means: 'A new password requires the current one, which is missing.',
    developer: 'Send it as `current_password` (`currentPassword` in code).',
    operator: 'Controlled by `AUTH_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD`.',
  },
  current_password_invalid: {
    topic: 'Passwords',
    statuses: [400],
    means: 'The current password submitted with a new one is wrong.',
    client: 'Prompt for it again, and offer a password reset.',
  },
  reauthentication_needed: {
    topic: 'Passwords',
    statuses: [400, 403],
    means:
      'The change requires a nonce that was sent to the user. From `requireUser` with `within`, and from endpoints that add or replace a credential (403): the sign-in or the verification of the second factor is too long ago.',
    client:
      'With 400: call `GET /reauthenticate`, prompt for the code in the message, and send the request again with it as `nonce`. With 403: `step_up` in the body, `details.stepUp` in code, is `verify` to verify a factor again in this session, or `sign_in` to sign in again.',
  },
  reauthentication_not_valid: {
    topic: 'Passwords',
    statuses: [422],
    means: 'The nonce is wrong, was used or has expired.',
    client: 'Request a new one by `GET /reauthenticate`.',
  },

  // Sessions and tokens
  no_authorization: {
    topic: 'Sessions and tokens',
    statuses: [401, 403],
    means:
      'The request has no access token. With 403: its user may not perform this action, for example an anonymous user.',
    client: 'Sign in.',
    developer:
      'Send `Authorization: Bearer <access token>`. For sessions in cookies, redirect to the sign-in: `sessions.signInUrl`.',
  },
  bad_jwt: {
    topic: 'Sessions and tokens',
    statuses: [403, 401, 400],
    means:
      'The access token is malformed, has expired, or is signed by an unknown key. `verifyToken` and `requireUser` throw it with 401.',
    client: 'Refresh the session and send the request again. The clients do so automatically.',
    operator:
      'If it affects all users: check whether `AUTH_JWT_SECRET` or `AUTH_JWT_KEYS` changed, and whether the clock of a host is wrong. `latchkey doctor` checks this.',
  },
  session_not_found: {
    topic: 'Sessions and tokens',
    statuses: [403, 401, 404],
    means:
      'The session behind the access token has ended: signed out, revoked, or ended by a new password. With 404: the user has no such session to end.',
    client: 'Delete the tokens, and ask the user to sign in.',
  },
  session_expired: {
    topic: 'Sessions and tokens',
    statuses: [400, 403, 401],
    means:
      'The session has reached its time limit, was unused for too long, was replaced by a newer one, or went without the second factor for too long. Refreshing it returns 400; an access token of it is rejected with 403, by `requireUser` with 401.',
    client: 'Ask the user to sign in again.',
    operator: 'The limits are `AUTH_SESSIONS_*`.',
  },
  refresh_token_not_found: {
    topic: 'Sessions and tokens',
    statuses: [400],
    means:
      'The refresh token belongs to no session: the user signed out, or the session was deleted.',
    client: 'Delete the tokens, and ask the user to sign in.',
  },
  refresh_token_already_used: {
    topic: 'Sessions and tokens',
    statuses: [400],
    means:
      'A refresh token was used again, later than the reuse interval allows. It may have been stolen, so the session is revoked.',
    client: 'Ask the user to sign in again.',
    developer:
      'Two parts of the application may store the same refresh token. Refresh in one place, and share its result: [Flows](flows.md#refresh).',
    operator:
      '`AUTH_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL` is the interval. The event `session.ended` with `token_reused` reports it.',
  },
  unexpected_audience: {
    topic: 'Sessions and tokens',
    statuses: [403],
    means: 'The header `X-JWT-AUD` names another audience than that of the access token.',
    developer: 'Omit the header, or send the audience that the user signed in to.',
  },
  not_admin: {
    topic: 'Sessions and tokens',
    statuses: [403],
    means: 'The endpoint is for operators, or only operators may change a field.',
    developer:
      'Call it with an operator’s token, from a server and never from a browser: [Users, for operators](users.md). In your own process `auth.admin` needs none.',
    operator: '`AUTH_JWT_ADMIN_ROLES` lists the roles of operators.',
  },

  // Users and addresses
  user_not_found: {
    topic: 'Users and addresses',
    statuses: [404, 403, 401],
    means: 'There is no such user. With 403 or 401: the user of the access token was deleted.',
    client: 'If it is the client’s own access token: delete it, and ask the user to sign in.',
  },
  user_sso_managed: {
    topic: 'Users and addresses',
    statuses: [422],
    means:
      'An identity provider of an organization manages the account: its user has no password, and changes no address and links no identity here.',
    client: 'Ask the user to change these data at the organization.',
  },
  email_exists: {
    topic: 'Users and addresses',
    statuses: [422, 400],
    means: 'Another user has confirmed this email address.',
    client: 'Prompt for another address, or for a sign-in to the account that has it.',
  },
  username_exists: {
    topic: 'Users and addresses',
    statuses: [422],
    means: 'Another user of the audience has this user name, or one that looks the same.',
    client: 'Prompt for another user name.',
  },
  phone_exists: {
    topic: 'Users and addresses',
    statuses: [422],
    means: 'Another user has confirmed this phone number.',
    client: 'Prompt for another number, or for a sign-in to the account that has it.',
  },
  email_address_invalid: {
    topic: 'Users and addresses',
    statuses: [400],
    means:
      'No mail can be delivered to the address: its domain has no mail server or is blocked, or the validation service rejects it.',
    client: 'Ask the user to check the spelling of the address.',
    operator: '`AUTH_MAILER_EMAIL_VALIDATION_*` are the settings of these checks: [Mail](mail.md).',
  },
  email_address_not_authorized: {
    topic: 'Users and addresses',
    statuses: [400],
    means: 'Mails are sent to listed addresses only, and this one is not listed.',
    operator:
      '`AUTH_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES` is the list. Leave it empty for all addresses.',
  },
  identity_already_exists: {
    topic: 'Users and addresses',
    statuses: [422],
    means: 'The account at the provider is linked already, to this user or to another one.',
    client: 'Sign the user in with it, instead of linking it.',
  },
  too_many_identities: {
    topic: 'Users and addresses',
    statuses: [422],
    means: 'The user has the maximum number of identities: 50.',
    client: 'Ask the user to remove one.',
  },
  identity_not_found: {
    topic: 'Users and addresses',
    statuses: [422, 404],
    means: 'The user has no such identity; with 404, none of this provider.',
    developer: 'Use the `identity_id` of an element of the user’s `identities` for unlinking.',
  },
  single_identity_not_deletable: {
    topic: 'Users and addresses',
    statuses: [422],
    means:
      'It is the last method to sign in, or the last confirmed address where new passwords are restricted, so it cannot be removed.',
    client: 'Ask the user to add another one first.',
  },
  email_conflict_identity_not_deletable: {
    topic: 'Users and addresses',
    statuses: [422],
    means:
      'Without this identity, the user’s address would be unconfirmed, or belongs to another user.',
    client: 'Ask the user to confirm an address first.',
  },
  manual_linking_disabled: {
    topic: 'Users and addresses',
    statuses: [404],
    means: 'Users cannot link or unlink accounts at providers.',
    ...disabledFeature('linking', 'AUTH_SECURITY_MANUAL_LINKING_ENABLED=true'),
  },

  // Limits
  over_request_rate_limit: {
    topic: 'Limits',
    statuses: [429],
    means:
      'The client has sent too many requests, or there were too many attempts for this account.',
    client: 'Wait for `Retry-After` seconds (`retry_after` in the body), then try again.',
    operator:
      '[Limits](limits.md) lists all of them. If it affects all users: behind a proxy, `AUTH_RATE_LIMIT_HEADER` must name the header with the client’s address. `latchkey why REQUEST_ID` prints the limit.',
  },
  over_email_send_rate_limit: {
    topic: 'Limits',
    statuses: [429],
    means:
      'A mail was sent to this address a moment ago, or the service has reached its number of mails per hour. The response is the same for unknown addresses.',
    client: 'Show how long to wait (`retry_after`), and ask the user to check the mailbox.',
    operator:
      '`AUTH_SMTP_MAX_FREQUENCY` is the interval for one address, `AUTH_RATE_LIMIT_EMAIL_SENT` the number for all.',
  },
  over_sms_send_rate_limit: {
    topic: 'Limits',
    statuses: [429],
    means: 'The same for SMS.',
    client: 'Show how long to wait (`retry_after`).',
    operator:
      '`AUTH_SMS_MAX_FREQUENCY` is the interval for one number, `AUTH_RATE_LIMIT_SMS_SENT` the number for all.',
  },
  sms_send_failed: {
    topic: 'Limits',
    statuses: [422],
    means: 'No SMS can be sent to this number: there is no carrier, or its country is not allowed.',
    client: 'Offer another method, such as email.',
    operator:
      'Configure a carrier, or allow the country in `AUTH_SMS_ALLOWED_PREFIXES`: [SMS](sms.md). A message that fails later is in `latchkey outbox list`.',
  },

  // External providers
  provider_disabled: {
    topic: 'External providers',
    statuses: [400],
    means: 'The provider of an ID token is disabled.',
    client: 'Do not offer it. `GET /settings` lists the enabled providers under `external`.',
    operator: 'Enable it: [External providers](providers.md).',
  },
  provider_email_needs_verification: {
    topic: 'External providers',
    statuses: [422],
    means:
      'The provider has not verified the email address, so a mail has been sent to confirm it.',
    client: 'Ask the user to open the link in the mail.',
  },
  bad_oauth_callback: {
    topic: 'External providers',
    statuses: [400],
    means: 'The provider redirected the browser back without a code.',
    client: 'Restart the sign-in.',
    operator: 'If it fails again, compare the settings at the provider with those here.',
  },
  bad_oauth_state: {
    topic: 'External providers',
    statuses: [400],
    means:
      'The state is unknown, has expired or was used, or the callback came from another browser.',
    client: 'Restart the sign-in, and finish it in the same browser.',
    operator:
      'If it affects all users: `AUTH_API_EXTERNAL_URL` must be the host that browsers use, since a cookie of that host binds the state.',
  },
  provider_token_not_found: {
    topic: 'External providers',
    statuses: [404],
    means: 'No token of this provider is stored for the user.',
    client: 'Ask the user to sign in through the provider again.',
    operator:
      'Tokens are stored only if this is enabled: [Tokens of providers](provider-tokens.md).',
  },
  provider_token_expired: {
    topic: 'External providers',
    statuses: [403],
    means: 'The stored token has expired, and the provider does not renew it.',
    client: 'Ask the user to sign in through the provider again.',
  },

  // Second factors
  insufficient_aal: {
    topic: 'Second factors',
    statuses: [403, 401, 422],
    means: 'The user has a second factor, and has not verified it in this session.',
    client:
      'Prompt for the factor (`mfa.challengeAndVerify`), then send the request again with the new access token.',
    operator: 'The token of an operator who is a user requires it, too.',
  },
  mfa_factor_not_found: {
    topic: 'Second factors',
    statuses: [404, 422, 403],
    means:
      'The user has no such factor; with 422, no such challenge. From `requireUser` with `aal: 2` (403): the user has no verified factor at all.',
    client: 'List the factors again. With 403, ask the user to enroll one.',
  },
  mfa_factor_name_conflict: {
    topic: 'Second factors',
    statuses: [422],
    means: 'The user already has a factor with this name, or one without a name.',
    client: 'Prompt for a new name (`friendly_name`).',
  },
  mfa_challenge_expired: {
    topic: 'Second factors',
    statuses: [422],
    means: 'The challenge has expired.',
    client: 'Create a new challenge.',
    operator: '`AUTH_MFA_CHALLENGE_EXPIRY_DURATION` is its lifetime.',
  },
  mfa_ip_address_mismatch: {
    topic: 'Second factors',
    statuses: [422],
    means: 'The challenge was created from another IP address than the one that verifies it.',
    client: 'Create a new challenge, and verify it from the same network.',
    developer:
      'Create and verify a challenge in the same place: not one in the browser and one on a server.',
  },
  mfa_verification_failed: {
    topic: 'Second factors',
    statuses: [422],
    means:
      'The code or signature is wrong, or was used before, or the challenge has no attempts left.',
    client: 'Prompt for the next code. After five wrong ones create a new challenge.',
    operator: 'If all codes of an app are wrong, compare the clocks of server and phone.',
  },
  mfa_verification_rejected: {
    topic: 'Second factors',
    statuses: [403],
    means:
      'Your hook `mfaVerificationAttempt` rejected the attempt. All sessions of the user have ended.',
    client: 'Show the message of the hook, and ask the user to sign in again.',
  },
  mfa_verified_factor_exists: {
    topic: 'Second factors',
    statuses: [422],
    means: 'The user already has a verified factor with the same recipient, or recovery codes.',
    client: 'Remove that factor first; recovery codes are replaced by generating new ones.',
  },
  too_many_enrolled_mfa_factors: {
    topic: 'Second factors',
    statuses: [422],
    means: 'The user has as many factors as allowed.',
    client: 'Ask the user to remove one.',
    operator: '`AUTH_MFA_MAX_ENROLLED_FACTORS` and `AUTH_MFA_MAX_VERIFIED_FACTORS` are the limits.',
  },
  ...factorOwnMeanings(),
  ...factorSwitchMeanings(),
  mfa_recovery_codes_enroll_not_enabled: {
    topic: 'Second factors',
    statuses: [422],
    means: 'Recovery codes cannot be generated.',
    ...disabledFeature('it', 'AUTH_MFA_RECOVERY_CODES_ENROLL_ENABLED=true'),
  },
  mfa_recovery_codes_verify_not_enabled: {
    topic: 'Second factors',
    statuses: [422],
    means: 'Recovery codes cannot be used.',
    ...disabledFeature('it', 'AUTH_MFA_RECOVERY_CODES_VERIFY_ENABLED=true'),
  },
  mfa_recovery_codes_locked: {
    topic: 'Second factors',
    statuses: [429],
    means: 'Too many wrong recovery codes were tried.',
    client: 'Wait for `Retry-After` seconds, or prompt for another factor.',
  },
  mfa_recovery_codes_sole_factor: {
    topic: 'Second factors',
    statuses: [422],
    means: 'Recovery codes replace another factor, and the user has no verified one.',
    client: 'Ask the user to enroll another factor first.',
  },
  ...capabilityErrorMeanings,

  // Passkeys
  passkey_disabled: {
    topic: 'Passkeys',
    statuses: [404],
    means: 'Passkeys are disabled.',
    ...disabledFeature('them', 'AUTH_PASSKEY_ENABLED=true'),
  },
  too_many_passkeys: {
    topic: 'Passkeys',
    statuses: [422],
    means: 'The user has as many passkeys as allowed.',
    client: 'Ask the user to remove one.',
    operator: '`AUTH_PASSKEY_MAX_PASSKEYS_PER_USER` is the limit.',
  },
  webauthn_challenge_expired: {
    topic: 'Passkeys',
    statuses: [400],
    means: 'The ceremony exceeded its time limit.',
    client: 'Restart it.',
    operator: '`AUTH_WEBAUTHN_CHALLENGE_EXPIRY_DURATION` is the limit.',
  },
  webauthn_challenge_not_found: {
    topic: 'Passkeys',
    statuses: [400],
    means: 'The challenge is unknown, was used before, or belongs to another session.',
    client: 'Restart the ceremony.',
  },
  webauthn_credential_exists: {
    topic: 'Passkeys',
    statuses: [422],
    means: 'The passkey or security key is already registered, by this user or another one.',
    client: 'Ask the user to sign in with it, or to choose another one.',
  },
  webauthn_verification_failed: {
    topic: 'Passkeys',
    statuses: [400],
    means:
      'The browser’s response was not accepted: another page or key, a missing user verification, or a deleted passkey.',
    client: 'Restart, or offer another method to sign in.',
    operator:
      'If it affects all users: `AUTH_WEBAUTHN_RP_ID` and `AUTH_WEBAUTHN_RP_ORIGINS` must match the pages: [Passkeys](passkeys.md).',
  },

  // Wallets
  web3_provider_disabled: {
    topic: 'Wallets',
    statuses: [422],
    means: 'Sign-in with wallets of this chain is disabled.',
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
    means: 'A hook did not respond in time.',
    client: 'Try again.',
    operator: 'Make the hook faster, or run slow work after its response: [Hooks](hooks.md).',
  },
  hook_timeout_after_retry: {
    topic: 'Hooks',
    statuses: [422],
    means: 'A hook could not be reached, in several attempts.',
    client: 'Try again later.',
    operator: 'Check that its URL can be reached from the service.',
  },
  hook_payload_over_size_limit: {
    topic: 'Hooks',
    statuses: [422],
    means: 'The response of a hook is too large.',
    operator: 'Return less data from the hook.',
  },
  hook_payload_invalid_content_type: {
    topic: 'Hooks',
    statuses: [400],
    means: 'The response of a hook has another content type than `application/json`.',
    operator: 'Set `Content-Type: application/json` in the hook.',
  },
  unknown: {
    topic: 'Hooks',
    statuses: [400],
    means:
      'A hook rejected the request, with its own message and, optionally, its own status. Hooks set no code.',
    client: 'Show the message.',
  },

  // The service
  service_unavailable: {
    topic: 'The service',
    statuses: [503],
    means:
      'A required component is unavailable: the database, a captcha service, a provider, or capacity for password hashes.',
    client: 'Try again after `Retry-After` seconds. Keep the session: it has not ended.',
    operator: '`GET /ready` reports the missing component, and the log contains the reason.',
  },
  unexpected_failure: {
    topic: 'The service',
    statuses: [500],
    means:
      'A fault of the service, of a hook or of a provider. The response contains no details on purpose.',
    client: 'Show the `request_id` of the body, so that users can report it.',
    operator: 'Find the `request_id` in the log: the entry has the cause.',
  },
}
