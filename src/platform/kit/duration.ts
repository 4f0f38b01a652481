const millisecondsPer: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g
const whole = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/

/** The maximum length. Reading a megabyte of `1h1h1h` would take half a second. */
const maxLength = 100

/**
 * Parses a duration such as `1h30m`, `1.5h` or `300ms` into milliseconds; `0` needs no unit. Null
 * if it is invalid.
 */
export function parseDuration(text: string): number | null {
  if (/^[+-]?0$/.test(text)) return 0
  if (text.length > maxLength || !whole.test(text)) return null
  let total = 0
  for (const [, amount, unit] of text.matchAll(part)) {
    total += Number(amount) * (millisecondsPer[unit ?? ''] ?? 0)
  }
  return text.startsWith('-') ? -total : total
}
