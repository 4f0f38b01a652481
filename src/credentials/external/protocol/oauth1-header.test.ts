import { expect, it } from 'vitest'
import { oauth1Header } from './oauth1-header.ts'

const credentials = {
  clientId: 'dpf43f3p2l4k3l03',
  clientSecret: 'kd94hf93k423kf44',
  token: 'nnch734d00sl2jdk',
  tokenSecret: 'pfkkdhi9sl3r4s00',
}

const signatureOf = (header: string): string =>
  decodeURIComponent(/oauth_signature="([^"]+)"/.exec(header)?.[1] ?? '')

it('signs the example of OAuth Core 1.0, appendix A', () => {
  const header = oauth1Header(credentials, {
    method: 'GET',
    url: 'http://photos.example.net/photos?file=vacation.jpg&size=original',
    now: new Date(1_191_242_096_000),
    nonce: 'kllo9940pd9333jh',
  })
  expect(signatureOf(header)).toBe('tR3+Ty81lMeYAr/Fid0kMTYa/WM=')
  expect(header).toMatch(/^OAuth (\w+="[\w.~%-]*", )+\w+="[\w.~%-]*"$/)
})

it('signs each request separately', () => {
  const sign = () =>
    oauth1Header(credentials, { method: 'GET', url: 'https://api.example/', now: new Date(0) })
  expect(sign()).not.toBe(sign())
})

it('escapes characters that a header cannot contain', () => {
  const header = oauth1Header(
    { clientId: 'a"b', clientSecret: 's' },
    {
      method: 'GET',
      url: 'https://api.example/',
      parameters: { oauth_callback: "https://app.example/?state=1&x='!()*" },
      now: new Date(0),
    },
  )
  expect(header).toContain('oauth_consumer_key="a%22b"')
  expect(header).toContain(
    'oauth_callback="https%3A%2F%2Fapp.example%2F%3Fstate%3D1%26x%3D%27%21%28%29%2A"',
  )
  expect(header).not.toContain('oauth_token=')
})
