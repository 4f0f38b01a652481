import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { boundedLines } from './bounded-lines.ts'

let room: number
let text: string
const lines = () =>
  boundedLines(
    (bytes) => {
      const taken = bytes.subarray(0, room)
      room -= taken.length
      text += taken.toString()
      return taken.length
    },
    (dropped) => `dropped ${dropped}`,
  )
const isRoomFor = (bytes: number) => {
  room = bytes
  vi.advanceTimersByTime(50)
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  text = ''
  room = Number.POSITIVE_INFINITY
})
afterEach(() => void vi.useRealTimers())

it('writes each line at once while the stream has capacity', () => {
  const { write } = lines()

  write('one\n')

  expect(text).toBe('one\n')
  expect(vi.getTimerCount()).toBe(0)
})

it('keeps waiting lines in order, also after a partial write in the middle of a line', () => {
  const { write } = lines()
  room = 6
  for (const line of ['one\n', 'two\n', 'three\n']) write(line)
  expect(text).toBe('one\ntw')

  isRoomFor(3)
  write('four\n')
  isRoomFor(100)
  write('five\n')

  expect(text).toBe('one\ntwo\nthree\nfour\nfive\n')
  expect(vi.getTimerCount()).toBe(0)
})

it('drops lines beyond the limit, and writes their number in their place', () => {
  const { write } = lines()
  room = 0
  const line = `${'x'.repeat(99_999)}\n`
  for (let index = 0; index < 30; index += 1) write(line)
  write('short\n')

  isRoomFor(50_000)
  write('short\n')
  isRoomFor(10_000_000)
  write('after\n')

  expect(text).toBe(`${line.repeat(10)}dropped 22\nafter\n`)
})

it('writes the waiting lines when the process ends, as far as the stream has capacity', () => {
  const { write, flush } = lines()
  room = 0
  write('last words\n')

  room = 100
  flush()

  expect(text).toBe('last words\n')
})
