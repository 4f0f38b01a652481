/** Splits a scope of OAuth; repeated names count once. @see RFC 6749 §3.3 */
export const scopesIn = (scope: string): string[] => [
  ...new Set(scope.split(' ').filter((name) => name !== '')),
]
