import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { callingRegion, watchSmsTraffic } from './sms-traffic.ts'

/** Watches traffic, and collects the warnings. */
function watch() {
  const clock = createTestClock()
  const warnings: [object, string][] = []
  const warn = (fields: object, message: string) => void warnings.push([fields, message])
  const traffic = watchSmsTraffic({ clock, logger: { ...silentLogger, warn } })
  const send = (count: number, start = '4915550') => {
    for (let index = 0; index < count; index++) traffic.noteSent(`${start}${100 + index}`)
  }
  const verify = (count: number, start = '4915550') => {
    for (let index = 0; index < count; index++) traffic.noteVerified(`${start}${100 + index}`)
  }
  return { clock, warnings, send, verify, found: () => warnings.map(([fields]) => fields) }
}

const minutes = 60

describe('the detection of toll fraud', () => {
  it('warns if hardly any code is used, and logs no number', () => {
    const { clock, warnings, send, verify, found } = watch()
    send(20)
    verify(4)
    clock.advance(5 * minutes)

    send(1)

    expect(found()).toEqual([{ destination: '+49', sent: 20, verified: 4, minutes: 60 }])
    expect(JSON.stringify(warnings)).not.toMatch(/\d{5}/)
  })

  it('does not warn if a quarter is used, or for fewer than twenty', () => {
    const { clock, send, verify, found } = watch()
    send(20)
    verify(5)
    send(19, '4315550')
    clock.advance(5 * minutes)

    send(1)
    send(1, '4315550')

    expect(found()).toEqual([])
  })

  it('waits some minutes for codes to be used', () => {
    const { clock, send, verify, found } = watch()
    send(30)
    const atOnce = found().length
    clock.advance(4 * minutes)
    verify(25)
    clock.advance(1 * minutes)

    send(1)

    expect([atOnce, found()]).toEqual([0, []])
  })

  it('warns once an hour, as long as it continues', () => {
    const { clock, send, found } = watch()
    for (let passed = 0; passed < 125; passed += 5) {
      send(20)
      clock.advance(5 * minutes)
    }

    expect(found()).toHaveLength(2)
  })

  it('ignores codes older than an hour', () => {
    const { clock, send, found } = watch()
    send(20)
    clock.advance(60 * minutes)

    send(1)

    expect(found()).toEqual([])
  })

  it('counts each country separately', () => {
    const { clock, send, verify, found } = watch()
    send(100)
    verify(90)
    send(20, '8821650')
    clock.advance(5 * minutes)

    send(1)
    send(1, '8821650')

    expect(found()).toEqual([{ destination: '+882', sent: 20, verified: 0, minutes: 60 }])
  })
})

it.each([
  ['4915550001', '+49'],
  ['79155500001', '+7'],
  ['15005550001', '+1500'],
  ['12425550001', '+1242'],
  ['35315550001', '+353'],
  ['99415550001', '+994'],
  ['2015550001', '+20'],
  ['21215550001', '+212'],
  ['12', '+12'],
])('counts %s under %s', (phone, region) => {
  expect(callingRegion(phone)).toBe(region)
})
