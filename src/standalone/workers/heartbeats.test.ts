import { expect, it } from 'vitest'
import { type Beating, createHeartbeats, responds } from './heartbeats.ts'

function start(...states: Beating['state'][]) {
  let areEnding = false
  const all = states.map((state): Beating => ({ state, missedBeats: 0 }))
  const silent: Beating[] = []
  let changes = 0
  const beats = createHeartbeats<Beating>({
    all: () => all,
    send: () => {},
    areEnding: () => areEnding,
    onChange: () => {
      changes += 1
    },
    onSilence: (one) => silent.push(one),
  })
  const expectEnd = () => {
    areEnding = true
  }
  return { all, silent, changes: () => changes, expectEnd, ...beats }
}

it('a worker that misses three heartbeats does not respond, until its next one', () => {
  const { all, changes, beat, receive } = start('ready', 'ready')
  const [one, other] = all as [Beating, Beating]
  for (let times = 0; times < 3; times += 1) {
    beat()
    receive(other)
  }
  const before = [responds(one), responds(other), changes()]
  receive(one)

  expect(before).toEqual([false, true, 1])
  expect([responds(one), changes()]).toEqual([true, 2])
})

it('a worker is killed once after ten missed heartbeats, whether it serves or ends', () => {
  const { all, silent, beat } = start('ready', 'retiring', 'starting')
  for (let times = 0; times < 29; times += 1) beat()

  expect(silent).toEqual(all.slice(0, 2))
})

it('a worker that starts is killed once after 30 missed heartbeats', () => {
  const { all, silent, changes, beat, receive } = start('starting', 'starting')
  const [, other] = all as [Beating, Beating]
  for (let times = 0; times < 32; times += 1) {
    beat()
    receive(other)
  }

  expect([silent, changes()]).toEqual([all.slice(0, 1), 0])
})

it('a worker is killed once after five missed heartbeats if all have to end', () => {
  const { all, silent, beat, expectEnd } = start('retiring')
  for (let times = 0; times < 4; times += 1) beat()
  expectEnd()
  const before = [...silent]
  for (let times = 0; times < 8; times += 1) beat()

  expect([before, silent]).toEqual([[], all])
})

it('a worker that has missed more than five is killed as soon as all have to end', () => {
  const { all, silent, beat, expectEnd } = start('ready')
  for (let times = 0; times < 8; times += 1) beat()
  expectEnd()
  beat()

  expect(silent).toEqual(all)
})
