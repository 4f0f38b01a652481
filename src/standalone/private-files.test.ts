import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError } from '../platform/errors/start-errors.ts'
import { UsageError } from './command-error.ts'
import { openJsonLines, writePrivateFile } from './private-files.ts'
import { createLogger } from './server/logger.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-files-'))
  path = join(folder, 'file')
})
afterEach(() => rmSync(folder, { recursive: true }))

const modeOf = (file: string) => statSync(file).mode & 0o777

/** Creates a file of the victim, and a link to it at the path that the test writes. */
function linkTo(text: string): string {
  const victim = join(folder, 'victim')
  writeFileSync(victim, text, { mode: 0o644 })
  symlinkSync(victim, path)
  return victim
}

const log = () => createLogger({ level: 'info', file: path })

describe('S30 the file of AUTH_LOG_FILE', () => {
  it('is created for its owner alone, with its folder', () => {
    path = join(folder, 'logs', 'server.log')
    log()

    expect(modeOf(path)).toBe(0o600)
    expect(modeOf(join(folder, 'logs'))).toBe(0o700)
  })

  it('is hidden from others when it was readable for all', () => {
    writeFileSync(path, 'before\n')
    chmodSync(path, 0o644)
    log()

    expect(modeOf(path)).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toBe('before\n')
  })

  it('keeps the mode by which an operator grants access to a group', () => {
    writeFileSync(path, '')
    chmodSync(path, 0o640)
    log()

    expect(modeOf(path)).toBe(0o640)
  })

  it.each(['victim', 'nowhere'])('is not written through a symbolic link: %s', (target) => {
    if (target === 'victim') linkTo('kept')
    else symlinkSync(join(folder, target), path)

    expect(log).toThrow(ConfigError)
    expect(log).toThrow(/AUTH_LOG_FILE.*is a symbolic link/)
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })

  it.runIf(existsSync('/dev/fd'))(
    'may be a stream of the process, whose mode is kept',
    async () => {
      const stream = openSync(path, 'w', 0o644)
      chmodSync(path, 0o644)
      createLogger({ level: 'info', file: `/dev/fd/${stream}` }).info({}, 'written')
      // Lines are written at the end of the callback.
      await new Promise<void>((resolve) => process.nextTick(resolve))
      closeSync(stream)

      expect(readFileSync(path, 'utf8')).toContain('written')
      expect(modeOf(path)).toBe(0o644)
    },
  )
})

describe('S30 the file of --report', () => {
  const open = () => openJsonLines('import users', path)

  it('is created for its owner alone', () => {
    const file = open()
    file.write({ line: 1 })
    file.close()

    expect(modeOf(path)).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toBe('{"line":1}\n')
  })

  it('is in an existing folder', () => {
    const missing = join(folder, 'none', 'file')
    expect(() => openJsonLines('import users', missing)).toThrow(
      `import users: ${missing} cannot be created, as its folder does not exist. Create`,
    )
  })

  it('is a new file', () => {
    writeFileSync(path, 'kept')

    expect(open).toThrow(UsageError)
    expect(open).toThrow(`import users: ${path} exists already: name a new file`)
    expect(readFileSync(path, 'utf8')).toBe('kept')
  })

  it('is no link, whether symbolic or hard', () => {
    const victim = linkTo('kept')
    expect(open).toThrow('exists already')
    rmSync(path)
    symlinkSync(join(folder, 'nowhere'), path)
    expect(open).toThrow('exists already')
    rmSync(path)
    linkSync(victim, path)
    expect(open).toThrow('exists already')

    expect(readFileSync(victim, 'utf8')).toBe('kept')
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })

  it('is deleted if there is nothing to report, so that the command can be repeated', () => {
    open().close()

    expect(existsSync(path)).toBe(false)
  })
})

describe('S30 a file of a preview', () => {
  it('is replaced, for its owner alone', () => {
    writePrivateFile(path, 'a longer text')
    writePrivateFile(path, 'text')

    expect(readFileSync(path, 'utf8')).toBe('text')
    expect(modeOf(path)).toBe(0o600)
  })

  it('is not written through a symbolic link', () => {
    const victim = linkTo('kept')

    expect(() => writePrivateFile(path, 'text')).toThrow('is a symbolic link')
    expect(readFileSync(victim, 'utf8')).toBe('kept')
  })
})
