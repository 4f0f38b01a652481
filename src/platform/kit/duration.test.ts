import { expect, it } from 'vitest'
import { parseDuration } from './duration.ts'

it.each([
  ['0', 0],
  ['+0', 0],
  ['1s', 1000],
  ['300ms', 300],
  ['24h', 86_400_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['2.s', 2000],
  ['1500us', 1.5],
  ['1500µs', 1.5],
  ['+1m', 60_000],
  ['-1m30s', -90_000],
  ['1h1m1s1ms', 3_661_001],
])('reads %s', (text, milliseconds) => {
  expect(parseDuration(text)).toBeCloseTo(milliseconds, 9)
})

it.each(['', ' ', '1', '1 h', 'h', '1d', '1h ', 'one hour', '1h-2m', '--1h', '1e3s', '1H', '.s'])(
  'finds no duration in %j',
  (text) => {
    expect(parseDuration(text)).toBeNull()
  },
)

it('takes linear time for a long invalid text', () => {
  expect(parseDuration(`${'1h'.repeat(50_000)}!`)).toBeNull()
  expect(parseDuration(`${'1'.repeat(100_000)}!`)).toBeNull()
})
