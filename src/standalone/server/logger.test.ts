import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { waitFor } from '../../../test/support/wait-for.ts'
import { stderrLogger } from '../../platform/observability/logger.ts'
import { boundedLines, createLogger } from './logger.ts'

/** A user agent whose control characters clear the screen of a terminal, and reorder its text. */
const userAgent = 'curl\u001b[2J\u009b2J\u007f\u202e'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are expected
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-log-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

it('S98: a line of the log contains no control character, and the same value', async () => {
  const file = join(folder, 'service.log')

  createLogger({ level: 'info', file }).info({ userAgent }, 'request completed')
  const text = await waitFor(async () => {
    const written = await readFile(file, 'utf8')
    expect(written).toContain('request completed')
    return written
  })

  expect(text).not.toMatch(controls)
  expect(JSON.parse(text)).toMatchObject({ userAgent })
})

it('S98: nor does a line of the default log of hosts', () => {
  const written: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)

  stderrLogger.warn({ userAgent }, 'request failed')

  expect(written.join('')).toContain('request failed')
  expect(written.join('')).not.toMatch(controls)
})

let room: number
let text: string
let writes: number
const lines = () =>
  boundedLines(
    (bytes) => {
      writes += 1
      const taken = bytes.subarray(0, room)
      room -= taken.length
      text += taken.toString()
      return taken.length
    },
    (dropped) => `dropped ${dropped}`,
  )
/** Resolves after the callbacks that run before any other event. */
const callbackEnds = () => new Promise<void>((resolve) => process.nextTick(resolve))
const isRoomFor = (bytes: number) => {
  room = bytes
  vi.advanceTimersByTime(50)
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  writes = 0
  text = ''
  room = Number.POSITIVE_INFINITY
})
afterEach(() => void vi.useRealTimers())

it('writes the lines of a callback together, before any other event', async () => {
  const { write } = lines()
  let textAtNextEvent = ''
  const nextEvent = new Promise<void>((resolve) =>
    setImmediate(() => {
      textAtNextEvent = text
      resolve()
    }),
  )

  write('one\n')
  await Promise.resolve()
  write('two\n')
  await nextEvent

  expect([textAtNextEvent, writes]).toEqual(['one\ntwo\n', 1])
  expect(vi.getTimerCount()).toBe(0)
})

it('writes many lines of one callback before it ends, so that they use little memory', () => {
  const { write } = lines()

  for (let index = 0; index < 3; index += 1) write(`${'x'.repeat(65_536)}\n`)

  expect(writes).toBe(3)
})

it('writes the lines of a callback in which the process ends', () => {
  const { write, flush } = lines()
  write('last words\n')

  flush()

  expect(text).toBe('last words\n')
})

it('keeps waiting lines in order, also after a partial write in the middle of a line', async () => {
  const { write } = lines()
  room = 6
  for (const line of ['one\n', 'two\n', 'three\n']) write(line)
  await callbackEnds()
  expect(text).toBe('one\ntw')

  isRoomFor(3)
  write('four\n')
  await callbackEnds()
  isRoomFor(100)
  write('five\n')
  await callbackEnds()

  expect(text).toBe('one\ntwo\nthree\nfour\nfive\n')
  expect(vi.getTimerCount()).toBe(0)
})

it('drops lines beyond the limit, and writes their number in their place', async () => {
  const { write } = lines()
  room = 0
  const line = `${'x'.repeat(99_999)}\n`
  for (let index = 0; index < 30; index += 1) write(line)
  write('short\n')
  await callbackEnds()

  isRoomFor(50_000)
  write('short\n')
  await callbackEnds()
  isRoomFor(10_000_000)
  write('after\n')
  await callbackEnds()

  expect(text).toBe(`${line.repeat(10)}dropped 22\nafter\n`)
})

it('counts each line of several that are written at once', async () => {
  const { write } = lines()
  room = 0
  write(`${'x'.repeat(1_048_575)}\n`)
  await callbackEnds()
  write('one\ntwo\n')
  write('three\n')
  await callbackEnds()

  isRoomFor(10_000_000)
  await callbackEnds()

  expect(text).toMatch(/x\ndropped 3\n$/)
})

it('writes the waiting lines when the process ends, as far as the stream has capacity', async () => {
  const { write, flush } = lines()
  room = 0
  write('last words\n')
  await callbackEnds()

  room = 100
  flush()

  expect(text).toBe('last words\n')
})
