import { describe, expect, it } from 'vitest'
import { readStandardClaims } from './profile.ts'
import { jsonReader } from './protocol/json-reader.ts'

describe('the standard claims', () => {
  it('contain values of the right type only', () => {
    const { subject, emails, claims } = readStandardClaims(
      jsonReader({
        sub: 's',
        email: 'ada@example.com',
        email_verified: true,
        name: 'Ada',
        given_name: 5,
        picture: { url: 'https://pictures.example' },
        aud: ['one', 'two'],
        iat: 1,
        exp: '2',
        updated_at: 1_700_000_000,
        role: 'service_role',
        app_metadata: {},
      }),
    )
    expect({ subject, emails }).toEqual({
      subject: 's',
      emails: [{ address: 'ada@example.com', isVerified: true }],
    })
    expect(Object.fromEntries(Object.entries(claims).filter(([, value]) => value != null))).toEqual(
      {
        name: 'Ada',
        aud: ['one', 'two'],
        iat: 1,
        updated_at: '2023-11-14T22:13:20.000Z',
      },
    )
  })

  it.each(['true', 1, null, undefined])('do not verify an address with %j', (email_verified) => {
    const { emails } = readStandardClaims(jsonReader({ email: 'ada@example.com', email_verified }))
    expect(emails).toEqual([{ address: 'ada@example.com', isVerified: false }])
  })

  it.each([
    [1_700_000_000, '2023-11-14T22:13:20.000Z'],
    ['2024-05-06T07:08:09Z', '2024-05-06T07:08:09Z'],
    [1e300, null],
    [null, null],
  ])('may contain a time: %j', (updated_at, expected) => {
    const { claims } = readStandardClaims(jsonReader({ updated_at }))
    expect(claims['updated_at']).toBe(expected)
  })
})
