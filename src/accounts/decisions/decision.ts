/** The kind of rule that decided. */
export type DecisionKind =
  | 'limit'
  | 'redirect'
  | 'reuse'
  | 'policy'
  | 'hook'
  | 'link'
  | 'check'
  | 'fault'

/** One decision about a request. */
export interface Decision {
  kind: DecisionKind
  /**
   * The error code. Otherwise, by kind: the limit, such as `token_requests` or `email_interval`;
   * the name of the hook; the reason that `explainRedirect` returns for a redirect; the secret that
   * was used again.
   */
  rule: string
}

/** The kind of rule for each error code. The first match applies. `decision.test.ts` lists all. */
const kinds: readonly [RegExp, DecisionKind][] = [
  [/^over_|^too_many_|_locked$/, 'limit'],
  [/^refresh_token_already_used$/, 'reuse'],
  [/^hook_|^unknown$|_rejected$/, 'hook'],
  [
    /^otp_expired$|^flow_state_|^bad_oauth_|^bad_code_verifier$|^invite_not_found$|_challenge_(expired|not_found)$|^reauthentication_not_valid$|_address_mismatch$|_authorization_not_found$/,
    'link',
  ],
  [
    /_disabled$|_not_enabled$|_exists?$|_not_deletable$|_sole_factor$|_not_confirmed$|_needs_verification$|^weak_password$|^same_password$|^insufficient_|^reauthentication_needed$|^session_expired$|^user_banned$|_not_authorized$|^current_password_required$|^address_too_new$|_suspended$|_managed$|^sms_send_failed$|_not_independent$|^not_admin$|_conflict$|^conflict$/,
    'policy',
  ],
  [/^(unexpected_failure|service_unavailable|request_timeout)$/, 'fault'],
]

/** Returns the decision that an error code states. */
export const rejection = (code: string): Decision => ({
  kind: kinds.find(([pattern]) => pattern.test(code))?.[1] ?? 'check',
  rule: code,
})

/** Descriptions of the kinds of rules, for operators. */
export const meanings: Record<DecisionKind, string> = {
  limit: 'a limit on requests or messages was reached: docs/limits.md',
  redirect:
    'the redirect target is not permitted, and the site URL was used instead: docs/redirects.md',
  reuse:
    'a replaced secret was used again, such as a refresh token later than AUTH_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL permits, and what it gave access to is revoked',
  policy: 'a setting or the state of the account forbids it',
  hook: 'a hook of the application rejected it, or failed, and the log contains the reason under the request id: docs/hooks.md',
  link: 'a link, code or provider flow was used, has expired or belongs to another client',
  check: 'a field of the request is missing, malformed or wrong',
  fault:
    'the service failed or exceeded a time limit: the log contains the cause under the request id',
}
