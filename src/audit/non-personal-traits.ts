/**
 * Particulars that tell of nobody: an erasure leaves them, and a log may hold them. What is not named
 * here does neither.
 */
export const nonPersonalTraits: readonly string[] = [
  'provider',
  'provider_type',
  'channel',
  'reason',
  'erased',
]
