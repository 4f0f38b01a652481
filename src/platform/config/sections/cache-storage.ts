/**
 * A cache for published data, such as the keys of an OpenID provider. A `Storage` of unstorage
 * fits.
 *
 * Lost entries are requested again, and errors are tolerated. A party that can write to it can
 * replace the keys that verify ID tokens, so only the application may have access.
 */
export interface CacheStorage {
  /** Returns the stored value or its JSON; null or undefined if there is none. */
  getItem(key: string): Promise<unknown>
  /** @param value plain JSON. */
  setItem(key: string, value: Readonly<Record<string, unknown>>): Promise<void>
  removeItem(key: string): Promise<void>
}
