/** What kind of rule decided. */
export type DecisionKind =
  | 'limit'
  | 'redirect'
  | 'reuse'
  | 'policy'
  | 'hook'
  | 'link'
  | 'check'
  | 'fault'

/** One thing that was decided about a request. */
export interface Decision {
  kind: DecisionKind
  /** The error code, or of a redirect the reason that `explainRedirect` tells. */
  rule: string
}

/** The kind of rule by which requests are refused with a code. The first that fits is it. */
const kinds: readonly [RegExp, DecisionKind][] = [
  [/^over_|^too_many_/, 'limit'],
  [/^refresh_token_already_used$/, 'reuse'],
  [/^hook_|^unknown$/, 'hook'],
  [
    /^otp_expired$|^flow_state_|^bad_oauth_|^bad_code_verifier$|^invite_not_found$|_challenge_expired$/,
    'link',
  ],
  [
    /_disabled$|_not_enabled$|_exists?$|^weak_password$|^same_password$|^insufficient_aal$|^reauthentication_|^user_banned$|_not_authorized$|^email_provider_/,
    'policy',
  ],
  [/^(unexpected_failure|service_unavailable|request_timeout)$/, 'fault'],
]

/** What a refusal with a code was decided by. */
export const refusal = (code: string): Decision => ({
  kind: kinds.find(([pattern]) => pattern.test(code))?.[1] ?? 'check',
  rule: code,
})

/** What an operator is told of a kind of rule. */
export const meanings: Record<DecisionKind, string> = {
  limit: 'a limit on requests or messages was reached: docs/limits.md',
  redirect: 'the redirect target is not permitted, and the site took its place: docs/redirects.md',
  reuse:
    'a refresh token was used again later than AUTH_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL permits: its session is revoked',
  policy: 'a setting or the state of the account forbids it',
  hook: 'a hook of the application refused, or failed: docs/hooks.md',
  link: 'a link, code or journey through a provider was spent, expired or of another client',
  check: 'what was sent is missing, malformed or wrong',
  fault: 'something here failed or took too long: the log tells the cause by the request id',
}
