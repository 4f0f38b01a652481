import type { Dice } from './dice.ts'
import { canary, oddText, oddValue } from './odd-values.ts'

export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** Expensive bodies: created once, sent rarely. */
const large = {
  twoMebibytes: JSON.stringify({ password: 'x'.repeat(2 * 1024 * 1024) }),
  justTooLarge: JSON.stringify({ password: 'x'.repeat(1_048_576) }),
  justRight: JSON.stringify({ data: 'x'.repeat(1_048_576 - 11) }),
  deepArrays: `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  deepObjects: `${'{"data":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  deepData: `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  manyKeys: JSON.stringify(
    Object.fromEntries(Array.from({ length: 30_000 }, (_, key) => [key, 0])),
  ),
  manyItems: `{"email":[${'0,'.repeat(200_000)}0]}`,
  someItems: `{"data":{"a":[${'0,'.repeat(2000)}0]}}`,
  longNumber: `{"email":${'9'.repeat(500_000)}}`,
}

/**
 * Returns an invalid body, made from a valid one.
 *
 * @param fields the fields that are read of it.
 */
export function oddBody(
  dice: Dice,
  right: Record<string, unknown>,
  fields: readonly string[],
): Body {
  if (dice.chance(6)) return dice.pick(Object.values(large))
  const text = JSON.stringify(right)
  const ways: (() => Body)[] = [
    () => JSON.stringify(oddValue(dice)),
    () => withOddField(dice, right, fields),
    () => withOddField(dice, right, fields),
    () => withOddField(dice, right, fields),
    () => text.slice(0, dice.below(text.length + 1)),
    () => `\ufeff${text}`,
    () => text + dice.pick([' ', '\n', '\0', '}', 'x', ' {}', ',', '//', '\u00a0']),
    () => dice.pick(['\v', '\u2028', '\u00a0', ")]}',\n"]) + text,
    () => text.replace('{', `{${dice.pick(rawMembers)},`).replace(',}', '}'),
    () => dice.pick(rawBodies),
    () => `email=${canary}%40example.test&password=${canary}`,
    () => spoil(dice, text),
    () => Buffer.from(text, 'utf16le') as Uint8Array<ArrayBuffer>,
    () => inChunks(dice, Buffer.from(text)),
    () => thatBreaks(Buffer.from(text)),
  ]
  return dice.pick(ways)()
}

/** Members whose value `JSON.stringify` would not write. */
const rawMembers = [
  '"__proto__":{"role":"service_role"}',
  '"constructor":{"prototype":{"a":1}}',
  '"email":1e400',
  '"email":-0',
  '"email":"a","email":"b"',
  '"password":null',
  '"data":{"__proto__":{"a":1}}',
  '"data":{"n":1e400,"m":-0,"k":0.1e-400}',
  '"data":{"a":1,"a":{"a":2}}',
  '"email":"\\ud800"',
  '"data":{"\\u0000":1}',
  '"data":{"a":"\\u0000"}',
  '"data":{"a":"\\udfff"}',
  '"\\u0065mail":5',
]

const rawBodies = [
  '',
  ' ',
  'null',
  'true',
  '0',
  '""',
  '[]',
  '{}',
  '[{}]',
  '{"":""}',
  "{'a':1}",
  '{a:1}',
  '{"a":01}',
  '{"a":1,}',
  '{"a":+1}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":"\t"}',
  '{"a":"\\x"}',
  '{"a":"\\u12"}',
  '--boundary\r\nContent-Disposition: form-data; name="email"\r\n\r\na\r\n--boundary--',
  '<a/>',
]

function withOddField(
  dice: Dice,
  right: Record<string, unknown>,
  fields: readonly string[],
): string {
  const field = dice.pick([...fields, 'data', 'email', 'password', 'user_metadata', 'id'])
  const value = dice.chance(30) ? `${oddText(dice)}${canary}` : oddValue(dice)
  return JSON.stringify({ ...right, [field]: value })
}

/** Changes some bytes; the result is mostly no valid UTF-8. */
function spoil(dice: Dice, text: string): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(Buffer.from(text))
  for (let left = 1 + dice.below(4); left > 0; left--) {
    bytes[dice.below(bytes.length)] = dice.pick([0x00, 0x80, 0xc0, 0xed, 0xf5, 0xff, 0x22, 0x5c])
  }
  return bytes
}

/** Returns the unchanged bytes in small chunks, some of them empty. */
function inChunks(dice: Dice, bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      const end = at + dice.below(40)
      controller.enqueue(bytes.slice(at, end))
      at = end
      if (at >= bytes.length) controller.close()
    },
  })
}

function thatBreaks(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let pulls = 0
  return new ReadableStream({
    pull(controller) {
      if (pulls++ === 0) controller.enqueue(bytes.slice(0, 5))
      else controller.error(new Error(`the client went away with ${canary}`))
    },
  })
}
