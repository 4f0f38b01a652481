import { describe, expect, it } from 'vitest'
import { loadDeviceNames } from './device-name.ts'

const deviceName = await loadDeviceNames()

describe('the name of a device', () => {
  it.each([
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:133.0) Gecko/20100101 Firefox/133.0',
      'Firefox on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
      'Microsoft Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
  ])('contains browser and operating system: %s', (userAgent, name) => {
    expect(deviceName(userAgent)).toBe(name)
  })

  it.each([null, '', 'node', 'okhttp/4.9.3', 'MyApp/3 CFNetwork/1410.0.3 Darwin/22.6.0'])(
    'is null for %s, which states neither',
    (userAgent) => {
      expect(deviceName(userAgent)).toBeNull()
    },
  )

  it('contains no text of the client', () => {
    expect(deviceName('Your bank/1.0 (Windows NT 10.0)')).toBe('Windows')
    expect(deviceName('<b>Your bank</b>/1.0 now')).toBeNull()
  })
})
