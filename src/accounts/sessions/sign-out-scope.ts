/** The sessions that a sign-out ends: all of the user's, the caller's, or all but the caller's. */
export const signOutScopes = ['global', 'local', 'others'] as const

export type SignOutScope = (typeof signOutScopes)[number]
