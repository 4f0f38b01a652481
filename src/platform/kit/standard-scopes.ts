/** The scopes of OpenID Connect. @see OpenID Connect Core 1.0 §5.4, §11 */
export const standardScopes = ['openid', 'profile', 'email', 'phone', 'offline_access'] as const
