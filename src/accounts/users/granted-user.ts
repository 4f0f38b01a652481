import type { UserRow } from './user-row.ts'

/** A scope of OpenID Connect that permits data of the user. */
type DataScope = 'email' | 'phone' | 'profile'

/** @param scope names, separated by spaces. */
export const includesScope = (scope: string, name: DataScope): boolean =>
  scope.split(' ').includes(name)

/**
 * Returns a user as an OAuth client may read it: the data of granted scopes, and the id, role and
 * operator's metadata, on which services decide. Fields of other scopes are empty, as those of a
 * user without the data. Factors, identities, pending changes and times of messages belong to no
 * scope. A column that is missing here does not compile.
 *
 * @param scope the scopes of the token, separated by spaces.
 * @see OpenID Connect Core 1.0 §5.4
 */
export function grantedUser(user: UserRow, scope: string): UserRow {
  const hasEmail = includesScope(scope, 'email')
  const hasPhone = includesScope(scope, 'phone')
  const hasProfile = includesScope(scope, 'profile')
  return {
    id: user.id,
    audience: user.audience,
    role: user.role,
    app_metadata: user.app_metadata,
    is_anonymous: user.is_anonymous,
    is_sso_user: user.is_sso_user,
    created_at: user.created_at,
    updated_at: user.updated_at,
    email: hasEmail ? user.email : null,
    email_confirmed_at: hasEmail ? user.email_confirmed_at : null,
    phone: hasPhone ? user.phone : null,
    phone_confirmed_at: hasPhone ? user.phone_confirmed_at : null,
    username: hasProfile ? user.username : null,
    user_metadata: hasProfile ? user.user_metadata : {},
    invited_at: null,
    confirmation_sent_at: null,
    recovery_sent_at: null,
    reauthentication_sent_at: null,
    new_email: null,
    email_change_sent_at: null,
    email_change_confirm_status: 0,
    new_phone: null,
    phone_change_sent_at: null,
    change_proved_at: null,
    last_sign_in_at: null,
    banned_until: null,
    deleted_at: null,
    identities: [],
    factors: [],
  }
}
