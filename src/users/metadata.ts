type Metadata = Record<string, unknown>

/** Merges top-level keys: null removes one, a key that is not mentioned stays. */
export function mergeMetadata(current: Metadata, changes: Metadata): Metadata {
  const merged = { ...current, ...changes }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
}
