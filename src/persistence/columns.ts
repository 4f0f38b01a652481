const names = (text: string): readonly string[] => text.split(/\s+/)

/**
 * The tables and their columns, as this version knows them: an insert names each. They are written down
 * rather than asked for. The entities say the same (a test compares them), but would bring the ORM with
 * them; the database may have got columns from a later version, which are not ours to fill.
 */
export const columns: Readonly<Record<string, readonly string[]>> = {
  audit_entries: names('id created_at action actor_id actor_role user_id traits ip request_id'),
  authorization_codes: names(
    'id user_id code_hash code_challenge code_challenge_method method expires_at created_at',
  ),
  challenges: names('id factor_id code_hash attempts ip expires_at spent_at created_at'),
  factors: names(
    `id user_id friendly_name factor_type status secret phone last_used_step web_authn_credential
    web_authn_aaguid last_web_authn_challenge last_challenged_at created_at updated_at`,
  ),
  identities: names(
    'id user_id provider subject identity_data last_sign_in_at created_at updated_at',
  ),
  imported_factors: names('id'),
  imported_sessions: names('id'),
  imported_tokens: names('token_hash session_id'),
  imported_users: names('id fingerprint updated_at'),
  one_time_tokens: names(
    `id user_id purpose requested_by requested_from audience sent_to token_hash code_hash
    code_challenge code_challenge_method expires_at created_at`,
  ),
  outbox_messages: names(
    `id user_id channel kind recipient body status attempts next_attempt_at expires_at
    carrier_message_id last_error settled_at created_at`,
  ),
  password_attempts: names('key failures last_attempt attempted_at'),
  rate_limit_buckets: names('key tokens refilled_at'),
  sessions: names(
    `id user_id aal amr factor_id refresh_token_counter refreshed_at not_after revoked_at tag ip
    opened_ip user_agent created_at`,
  ),
  signing_keys: names('id algorithm public_jwk private_jwk signs_from retired_at created_at'),
  users: names(
    `id audience role email phone password_hash email_confirmed_at phone_confirmed_at invited_at
    confirmation_sent_at recovery_sent_at new_email email_change_sent_at email_change_confirm_status
    new_phone phone_change_sent_at reauthentication_sent_at last_sign_in_at app_metadata
    user_metadata registered_by registered_from registered_keys is_anonymous is_sso_user banned_until
    deleted_at created_at updated_at`,
  ),
}
