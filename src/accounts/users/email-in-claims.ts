/**
 * Returns the address in the claims of an identity, in the form that is compared; null without one.
 */
export const emailInClaims = ({ email }: Readonly<Record<string, unknown>>): string | null =>
  typeof email === 'string' && email !== '' ? email.toLowerCase() : null
