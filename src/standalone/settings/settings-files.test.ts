import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSources, readSources } from './settings-files.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-settings-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const readFolder = () => readSources({ own: {}, folder })

function readText(text: string | Buffer, name = 'a.env') {
  writeFileSync(join(folder, name), text)
  return readFolder()
}

describe('readSources', () => {
  it.each(['a.env', 'a.json'])('S29 reads %s with a byte order mark', (name) => {
    const text = name === 'a.env' ? 'AUTH_DISABLE_SIGNUP=true' : '{"AUTH_DISABLE_SIGNUP":"true"}'

    expect(readText(`\uFEFF${text}\n`, name)).toMatchObject({ AUTH_DISABLE_SIGNUP: 'true' })
  })

  it.each([
    ['UTF-16', Buffer.from('AUTH_DISABLE_SIGNUP=true\n', 'utf16le')],
    ['UTF-16 with a byte order mark', Buffer.from('\uFEFFAUTH_DISABLE_SIGNUP=true\n', 'utf16le')],
    ['bytes that are no UTF-8', Buffer.from([0x41, 0x3d, 0xff, 0x0a])],
  ])('S29 rejects a file of %s', (_, bytes) => {
    expect(() => readText(bytes)).toThrow('a.env must be UTF-8 text')
  })

  it.each([
    'AUTH_DISABLE_SIGNUP true',
    'AUTH_DISABLE_SIGNUP: true',
    'export AUTH_DISABLE_SIGNUP',
    'B=1\n  AUTH_DISABLE_SIGNUP',
  ])('S29 rejects %j, which contains no setting', (line) => {
    expect(() => readText(`A=1\n${line}\nC=2\n`)).toThrow(
      'a.env: AUTH_DISABLE_SIGNUP must be followed by =',
    )
  })

  it('S29 reads assignments, comments and texts of several lines', () => {
    const text =
      '# AUTH_X true\nexport AUTH_A=1\nAUTH_B = 2\nAUTH_C="x\nAUTH_A\ny"\nAUTH_D=\'a\nb\'\nother text\n'

    expect(readText(text)).toMatchObject({
      AUTH_A: '1',
      AUTH_B: '2',
      AUTH_C: 'x\nAUTH_A\ny',
      AUTH_D: 'a\nb',
    })
  })

  it('reads a setting from the environment first, whichever of its names is used', () => {
    const names = ['AUTH_DB_DATABASE_URL', 'AUTH_DATABASE_URL', 'DATABASE_URL']
    for (const inFile of names) {
      writeFileSync(
        join(folder, 'a.env'),
        `${inFile}=postgres://file/\nAUTH_SITE_URL=https://a.test\n`,
      )
      for (const inEnvironment of names) {
        const own = { [inEnvironment]: 'postgres://environment/' }

        expect(readSources({ own, folder })).toEqual({ ...own, AUTH_SITE_URL: 'https://a.test' })
      }
      const unset = { AUTH_DB_DATABASE_URL: '' }
      if (inFile !== 'AUTH_DB_DATABASE_URL') {
        expect(readSources({ own: unset, folder })).toMatchObject({ [inFile]: 'postgres://file/' })
      }
    }
  })

  it('reads a setting from the last file that contains one of its names', () => {
    writeFileSync(join(folder, 'a.env'), 'AUTH_SITE_URL=https://a.test')
    writeFileSync(join(folder, 'b.env'), 'GOTRUE_SITE_URL=https://b.test')

    expect(readFolder()).toEqual({ GOTRUE_SITE_URL: 'https://b.test' })
  })

  it('S29 rejects a symbolic link to a missing file', () => {
    symlinkSync(join(folder, 'missing'), join(folder, 'a.env'))

    expect(readFolder).toThrow('a.env cannot be read')
  })

  it('S29 rejects a folder with more files than are read', () => {
    for (let file = 0; file <= 1000; file++) writeFileSync(join(folder, `${file}.env`), '')

    expect(readFolder).toThrow('names a folder with more than 1000 files')
  })

  it.each([
    ['AUTH_PASSWORD_REQUIRED_CHARACTERS=abc:123:!@#$%', 'has # in its value: put it in quotes'],
    ['AUTH_PASSWORD_REQUIRED_CHARACTERS=#$%', 'has # in its value: put it in quotes'],
    ['DATABASE_URL=postgres://user:pass#word@host/app', 'has # in its value: put it in quotes'],
    ['AUTH_SMTP_PASS="abc"def', 'has text after the closing quote'],
    ['AUTH_SMTP_PASS="a\\"b"', 'has text after the closing quote'],
    ["AUTH_SMTP_PASS='it's'", 'has text after the closing quote'],
    ['AUTH_SMTP_PASS="abc', 'has no closing quote'],
    ['AUTH_DISABLE_SIGNUP=true\nA=1\nexport AUTH_DISABLE_SIGNUP=false', 'is set twice'],
  ])('S43: rejects %j, of which only a part would have an effect', (text, message) => {
    const name = /AUTH_\w+|DATABASE_URL/.exec(text)?.[0]

    expect(() => readText(`${text}\n`)).toThrow(`a.env: ${name} ${message}`)
  })

  it('S43: reads quotes and comments that remove no part of a value', () => {
    const text =
      "AUTH_A=\"a#b\" # one\nAUTH_B=2 # two\nAUTH_C= # three\nAUTH_D='x\nAUTH_A=5#6\n'#\nOTHER=a#b\nAUTH_F=it's\nAUTH_B=2\n"

    expect(readText(text)).toEqual({
      AUTH_A: 'a#b',
      AUTH_B: '2',
      AUTH_C: '',
      AUTH_D: 'x\nAUTH_A=5#6\n',
      AUTH_F: "it's",
      OTHER: 'a',
    })
    expect(readText('AUTH_A=1\r\nAUTH_B="2"\r\n')).toEqual({ AUTH_A: '1', AUTH_B: '2' })
  })

  it('S43: rejects JSON that sets a name twice', () => {
    const text = '{"AUTH_DISABLE_SIGNUP": "true", "AUTH_A": "\\"AUTH_B\\": ", "AUTH_B": "1"'

    expect(readText(`${text}}`, 'a.json')).toMatchObject({ AUTH_B: '1' })
    expect(() => readText(`${text}, "AUTH_DISABLE_SIGNUP": "false"}`, 'a.json')).toThrow(
      'a.json: AUTH_DISABLE_SIGNUP is set twice',
    )
  })
})

describe('openSources', () => {
  it('S44: rejects a file that had settings and is empty now', () => {
    const file = join(folder, 'a.env')
    writeFileSync(file, '')
    const read = openSources({ own: {}, folder })
    expect(read()).toEqual({})
    writeFileSync(file, 'AUTH_DISABLE_SIGNUP=true\n')
    expect(read()).toEqual({ AUTH_DISABLE_SIGNUP: 'true' })

    for (const text of ['', ' \n\n', '\uFEFF']) {
      writeFileSync(file, text)
      expect(read).toThrow('a.env is empty, and had settings before')
    }

    writeFileSync(file, '# AUTH_DISABLE_SIGNUP=true\n')
    expect(read()).toEqual({})
    writeFileSync(file, '')
    expect(read()).toEqual({})
  })

  it('S44: drops the settings of a removed file', () => {
    const read = openSources({ own: {}, folder })
    writeFileSync(join(folder, 'a.env'), 'AUTH_DISABLE_SIGNUP=true\n')
    expect(read()).toEqual({ AUTH_DISABLE_SIGNUP: 'true' })
    rmSync(join(folder, 'a.env'))

    expect(read()).toEqual({})
  })
})
