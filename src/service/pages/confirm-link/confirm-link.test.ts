import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startTestAuth,
  type TestAuth,
  withoutAutoconfirm,
} from '../../../../test/support/test-auth.ts'

const site = 'https://app.example.test'
const formType = { 'content-type': 'application/x-www-form-urlencoded' }

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth({ ...withoutAutoconfirm, links: { confirm: 'button' } })
})
afterAll(() => auth.close())

/** Returns the query of a new link. */
async function newLink(email: string): Promise<string> {
  const token = await auth.given.serviceToken()
  const body = { type: 'signup', email, password: 'correct horse' }
  const answer = await auth.post('/admin/generate_link', body, { token })
  return new URL(answer.body.action_link).search.slice(1)
}

const open = (query: string, headers: Record<string, string> = {}) =>
  auth.get(`/verify?${query}`, { headers })
const submit = (body: string, query = '') =>
  auth.post(`/verify${query}`, body, { headers: formType })

/** Returns the form that a browser submits when the button is pressed. */
function formOf(page: string): string {
  const decode = (text = '') => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"')
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return String(
    new URLSearchParams(
      fields.map(([, name = '', value]): [string, string] => [name, decode(value)]),
    ),
  )
}

describe('a link that requires a button', () => {
  it('is consumed only by the button, and once', async () => {
    const link = await newLink('ada@example.test')
    const prefetched = await open(link, { 'sec-purpose': 'prefetch' })
    const head = await auth.request('HEAD', `/verify?${link}`)
    const page = await open(link)
    const form = formOf(page.text)
    const pressed = await submit(form)
    const again = await submit(form)

    expect([prefetched.status, head.status, page.status, head.text]).toEqual([200, 200, 200, ''])
    expect(pressed.status).toBe(303)
    expect(pressed.headers.get('location')).toMatch(/^https:\/\/app\.example\.test#access_token=/)
    expect(again.headers.get('location')).toContain('error_code=otp_expired')
  })

  it('redirects to the redirect target of the link, if that is permitted', async () => {
    const [own, foreign] = [`${site}/welcome?a=1&b=2`, 'https://evil.test/']
    const kept = await open(`token=x&type=signup&redirect_to=${encodeURIComponent(own)}`)
    const lost = await open(`token=x&type=signup&redirect_to=${encodeURIComponent(foreign)}`)

    const locationOf = async (page: string) => (await submit(formOf(page))).headers.get('location')
    expect(await locationOf(kept.text)).toMatch(/^https:\/\/app\.example\.test\/welcome\?a=1&b=2#/)
    expect(await locationOf(lost.text)).toMatch(/^https:\/\/app\.example\.test#/)
  })

  it('does not reveal whether the link is valid: an unknown one shows the same page', async () => {
    const link = await newLink('bea@example.test')
    const token = new URLSearchParams(link).get('token') ?? ''
    const never = '0'.repeat(token.length)
    const withoutNonce = (text: string) => text.replace(/nonce="\w+"/g, '')
    const [real, unreal] = [await open(link), await open(link.replace(token, never))]

    expect(withoutNonce(unreal.text).replace(never, token)).toBe(withoutNonce(real.text))
    expect(unreal.status).toBe(real.status)
  })

  it.each([
    ['type=signup', 'token'],
    ['token=x', 'type'],
    ['type=signup&token=x&token=y', 'token'],
    ['type=signup&token=x&redirect_to=a&redirect_to=b', 'redirect_to'],
  ])('is rejected when it is malformed: %s', async (query, field) => {
    for (const answer of [await open(query), await submit(query)]) {
      expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed'])
      expect(answer.body.msg).toMatch(`${field}:`)
    }
  })

  it('is rejected when URL and form differ (T24)', async () => {
    const answer = await submit('type=signup&token=x', '?token=y')
    expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed'])
  })
})

describe('POST /verify beside it', () => {
  it.each(['application/json', 'application/x-www-form-urlencoded'])(
    'accepts JSON, also with the type that curl sends (%s)',
    async (type) => {
      const link = new URLSearchParams(await newLink(`json-${type.length}@example.test`))
      const body = { type: 'signup', token_hash: link.get('token') }
      const answer = await auth.post('/verify', body, { headers: { 'content-type': type } })

      expect(answer.status).toBe(200)
      expect(answer.body).toHaveProperty('access_token')
    },
  )

  it('rejects a form where links need no button', async () => {
    const plain = await startTestAuth(withoutAutoconfirm)
    const answer = await plain.post('/verify', 'type=signup&token=x', { headers: formType })
    await plain.close()

    expect([answer.status, answer.body.error_code]).toEqual([400, 'bad_json'])
  })
})

describe('the page', () => {
  it('runs only its own script, and is not cached, framed or readable by other origins', async () => {
    const { headers, text } = await open('type=signup&token=x')
    const policy = headers.get('content-security-policy') ?? ''
    const [, nonce] = /script-src 'nonce-([0-9a-f]{32})'/.exec(policy) ?? []

    expect(policy).toMatch(/^default-src 'none'/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(text.match(/<(script|style)\b[^>]*>/g)).toEqual([
      `<style nonce="${nonce}">`,
      `<script nonce="${nonce}">`,
    ])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  it.each([
    ['en', 'de;q=0', 'Confirm your email address', 'Confirm email address'],
    ['de', 'de-AT,en;q=0.5', 'Bestätigen Sie Ihre E-Mail-Adresse', 'E-Mail-Adresse bestätigen'],
    ['fr', 'pt, fr-CA;q=0.8', 'Confirmez votre adresse e-mail', 'Confirmer l’adresse e-mail'],
  ])('speaks %s', async (language, accepted, heading, button) => {
    const { text } = await open('type=signup&token=x', { 'accept-language': accepted })

    expect(text).toContain(`<html lang="${language}" dir="ltr">`)
    expect(text).toContain(`<h1>${heading}</h1>`)
    expect(text).toContain(`>${button}</button>`)
  })

  it.each(['magiclink', 'recovery', 'invite', 'email_change', 'email', 'constructor'])(
    'has texts for links of type %s',
    async (type) => {
      expect((await open(`type=${type}&token=x`)).text).toMatch(/<h1>[A-Z][a-z ]+<\/h1>/)
    },
  )

  it.each([
    '"><script>alert(1)</script>',
    "'><img src=x onerror=alert(1)>",
    '</style><svg onload=alert(1)>',
    '"autofocus onfocus="alert(1)',
  ])('T26: escapes the parameters of a link: %s', async (value) => {
    const odd = encodeURIComponent(value)
    const { text } = await open(`type=${odd}&token=${odd}&redirect_to=${odd}&error=${odd}`)

    expect(text).not.toContain(value)
    expect(text.match(/<input type="hidden" name="\w+" value="[^"<>]*">/g)).toHaveLength(3)
    expect(text.match(/<(input|img|svg|script)\b/g)?.join(' ')).toBe('<input <input <input <script')
  })
})
