import { printed } from './values.ts'

const verb =
  /%(?<flags>[-+ 0#]*)(?<width>\d{0,3})(?:\.(?<precision>\d{0,2}))?(?<letter>[a-zA-Z%])/gu

/**
 * Implements `printf` with the verbs for text: `%s %v %q %d %f %e %g %x %X %c %t %%`, with width,
 * precision and the flags `-`, `+` and `0`. A verb that does not fit its value is reported in the
 * result, as in `%!d(text)`.
 */
export function formatted(format: string, values: readonly unknown[]): string {
  let next = 0
  return format.replace(verb, (...match) => {
    const groups: Record<string, string | undefined> = match.at(-1)
    const letter = groups['letter'] ?? ''
    if (letter === '%') return '%'
    if (next >= values.length) return `%!${letter}(MISSING)`
    const spec = {
      flags: groups['flags'] ?? '',
      precision: groups['precision'] === undefined ? null : Number(groups['precision']),
    }
    const text = oneFormatted(letter, values[next++], spec)
    return padded(text, spec.flags, Number(groups['width'] ?? 0))
  })
}

interface Spec {
  flags: string
  precision: number | null
}

function oneFormatted(letter: string, value: unknown, { flags, precision }: Spec): string {
  if (letter === 's' || letter === 'v') {
    const text = printed(value)
    return precision === null ? text : [...text].slice(0, precision).join('')
  }
  if (letter === 'q') return JSON.stringify(printed(value))
  if (letter === 't' && typeof value === 'boolean') return String(value)
  if (letter.toLowerCase() === 'x' && typeof value === 'string') return hex(value, letter)
  if (typeof value !== 'number') return `%!${letter}(${printed(value)})`
  const text = formattedNumber(letter, value, precision)
  if (text === null) return `%!${letter}(${value})`
  return flags.includes('+') && value >= 0 ? `+${text}` : text
}

function formattedNumber(letter: string, value: number, precision: number | null): string | null {
  const isWhole = Number.isInteger(value)
  switch (letter) {
    case 'd':
      return isWhole ? String(value) : null
    case 'x':
      return isWhole ? value.toString(16) : null
    case 'X':
      return isWhole ? value.toString(16).toUpperCase() : null
    case 'c':
      return isWhole && value >= 0 && value <= 0x10ffff ? String.fromCodePoint(value) : null
    case 'f':
      return value.toFixed(precision ?? 6)
    case 'e':
      return value.toExponential(precision ?? 6)
    case 'g':
      return precision ? String(Number(value.toPrecision(precision))) : String(value)
    default:
      return null
  }
}

function hex(text: string, letter: string): string {
  const digits = Buffer.from(text).toString('hex')
  return letter === 'X' ? digits.toUpperCase() : digits
}

function padded(text: string, flags: string, width: number): string {
  if (flags.includes('-')) return text.padEnd(width)
  if (!flags.includes('0') || !/^[+-]?\d/.test(text)) return text.padStart(width)
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  return sign + text.slice(sign.length).padStart(width - sign.length, '0')
}
