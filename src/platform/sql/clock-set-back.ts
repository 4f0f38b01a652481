import { clockSetBackMs } from '../kit/clock.ts'

/**
 * Returns the condition that a stored instant is so far in the future that the clock was set back
 * since. Such an instant counts as long ago: otherwise a limit would reject its client until the
 * clock reaches it again.
 */
export const isClockSetBack = (instant: string, now: string): string =>
  `${instant} > ${now}::timestamptz + interval '${clockSetBackMs / 1000} seconds'`

/**
 * Returns the instant of a statement by the clock that all instances share: that of the database,
 * or the one that replaces it in tests. Limits depend on it: the clock of an instance that is
 * wrong would refill what other instances counted.
 */
export const sharedInstant = (replacement: string): string =>
  `coalesce(${replacement}::timestamptz, statement_timestamp())`

/**
 * Returns the instant of a row that is counted again. It never moves backwards, since a statement
 * that waited for the row is older than it, except after the clock was set back.
 */
export const latestInstant = (instant: string, now: string): string =>
  `case when ${isClockSetBack(instant, now)} then ${now} else greatest(${now}, ${instant}) end`

/** Returns the seconds since a stored instant: 0 for the near future, a year for the far one. */
export const secondsSince = (instant: string, now: string): string =>
  `(case when ${isClockSetBack(instant, now)} then 31536000
      else greatest(0, extract(epoch from ${now}::timestamptz - ${instant})) end)::float8`
