/**
 * Where copies are kept of what others publish, such as the keys of an OpenID provider. A `Storage` of unstorage fits as it is.
 *
 * What it loses is asked for again, and it may fail. Whoever can write to it can name the keys that id tokens are verified
 * with, so it belongs to the application alone.
 */
export interface CacheStorage {
  /** What was stored, or its JSON; null or undefined where there is nothing. */
  getItem(key: string): Promise<unknown>
  /** @param value plain JSON. */
  setItem(key: string, value: Readonly<Record<string, unknown>>): Promise<void>
  removeItem(key: string): Promise<void>
}
