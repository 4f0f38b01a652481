import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openJsonLines } from '../private-files.ts'
import { jsonForTerminal, textForTerminal } from './print-result.ts'

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

it('S55: neither JSON nor text contains a control of the direction', () => {
  const controls = '\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'
  const json = jsonForTerminal({ name: `Ada${controls}` })

  expect(json).toMatch(/^[ -~\n]+$/)
  expect(json).toContain('\\u202e')
  expect(JSON.parse(json)).toEqual({ name: `Ada${controls}` })
  expect(textForTerminal(`Ada${controls}`)).toBe(`Ada${' '.repeat(controls.length)}`)
})

it('S107: a report of an import contains no control character, and the same values', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-report-'))
  const path = join(folder, 'report.jsonl')
  const file = openJsonLines('import gotrue', path)
  const line = { what: 'custom provider', id: 'custom:\u001b[2J\u009b2J' }
  file.write(line)
  file.close()

  const text = readFileSync(path, 'utf8')
  rmSync(folder, { recursive: true })

  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are expected
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  expect(JSON.parse(text)).toEqual(line)
})
