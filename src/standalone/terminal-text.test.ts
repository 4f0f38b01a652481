import { expect, it } from 'vitest'
import { jsonForTerminal, textForTerminal } from './terminal-text.ts'

it('S55: JSON contains no control character, and the same value', () => {
  const value = { name: 'Ada\u001b]0;x\u0007\u009b2J\u007f\r\n', 'k\u0085': 'ä€\u{1f600}' }
  const json = jsonForTerminal(value)

  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are expected
  expect(json).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  expect(JSON.parse(json)).toEqual(value)
})

it('S55: text keeps its lines, and no terminal control sequence', () => {
  expect(textForTerminal('a\u001b]52;c;eA==\u0007b\n\tc\r\u009b2J')).toBe('a ]52;c;eA== b\n\tc  2J')
})
