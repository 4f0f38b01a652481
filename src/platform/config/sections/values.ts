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
