/** A number of seconds, or a text with units: `15m`, `1h30m`, `500ms`. */
export type Seconds = number | string

/**
 * The rate of an event: a number (per hour), a text such as `30/1h`, or `off`, which disables the
 * limit.
 */
export type RateText = number | string

/** `count` events in `perSeconds` seconds, evenly refilled. */
export interface Rate {
  count: number
  perSeconds: number
}

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
