import type { TokenReader } from './token-reader.ts'
import type { Token } from './tokenize.ts'

const simple: Record<string, string> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
}

const escapeForm =
  /\\(?:x(?<byte>[\da-fA-F]{2})|u(?<short>[\da-fA-F]{4})|U(?<long>[\da-fA-F]{8})|(?<octal>[0-7]{3})|(?<simple>.))/gsu

/** Returns the value of a string in quotes or backquotes, or of a character in quotes. */
export function readString(tokens: TokenReader, { kind, text, offset }: Token): string {
  const inside = text.slice(1, -1)
  if (kind === 'raw') return inside
  return inside.replace(escapeForm, (...match) => {
    const groups: Record<string, string | undefined> = match.at(-1)
    const hex = groups['byte'] ?? groups['short'] ?? groups['long']
    if (hex !== undefined) return character(Number.parseInt(hex, 16))
    if (groups['octal'] !== undefined) return character(Number.parseInt(groups['octal'], 8))
    return simple[groups['simple'] ?? ''] ?? tokens.fail('this escape is unknown', offset)
  })
}

/** Returns a character; the replacement character if the code is not a Unicode scalar value. */
const character = (code: number): string =>
  code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code)
