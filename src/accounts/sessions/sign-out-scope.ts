/** Which sessions a sign-out ends: all of the user's, the one that asks, or all but that one. */
export const signOutScopes = ['global', 'local', 'others'] as const

export type SignOutScope = (typeof signOutScopes)[number]
