import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { answerJson, type Heard } from '../web-server.ts'
import { clientId, clientSecret, type Person } from './fake-provider.ts'

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)

/**
 * Twitter of 2012 with OAuth 1.0a, which verifies each signature. Returns whether it handled the
 * request.
 */
export function fakeTwitter() {
  /** Secrets by token. */
  const secrets = new Map<string, string>()
  const callbacks = new Map<string, string>()
  let made = 0
  const issue = (callback: string): URLSearchParams => {
    made += 1
    const [token, secret] = [`token-${made}`, `secret-${made}`]
    secrets.set(token, secret)
    callbacks.set(token, callback)
    return new URLSearchParams({ oauth_token: token, oauth_token_secret: secret })
  }

  /** Returns the parameters of the header if its signature is valid. */
  function signedParameters(url: string, { method, headers }: Heard): Map<string, string> | null {
    const header = headers.authorization ?? ''
    const given = [...header.matchAll(/(\w+)="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, decodeURIComponent(value)] as const,
    )
    const parameters = new Map(given)
    const { origin, pathname, searchParams } = new URL(url)
    const normalized = [...given.filter(([name]) => name !== 'oauth_signature'), ...searchParams]
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&')
    const base = [method, `${origin}${pathname}`, normalized].map(encode).join('&')
    const secret = secrets.get(parameters.get('oauth_token') ?? '') ?? ''
    const key = `${encode(clientSecret)}&${encode(secret)}`
    const signature = createHmac('sha1', key).update(base).digest('base64')
    const isRight =
      header.startsWith('OAuth ') &&
      parameters.get('oauth_signature') === signature &&
      parameters.get('oauth_consumer_key') === clientId
    return isRight ? parameters : null
  }

  return function answer(
    response: ServerResponse,
    heard: Heard,
    { url, path, person }: { url: string; path: string; person: Person },
  ): boolean {
    if (path === '/oauth/authenticate') {
      const token = new URL(url).searchParams.get('oauth_token') ?? ''
      const target = new URL(callbacks.get(token) ?? 'https://nowhere.example')
      target.searchParams.set('oauth_token', token)
      target.searchParams.set('oauth_verifier', 'verifier')
      response.writeHead(302, { location: target.href }).end()
      return true
    }
    const parameters = signedParameters(url, heard)
    const form = { 'content-type': 'text/html; charset=utf-8' }
    if (!parameters) {
      answerJson(response, 401, { errors: [{ code: 32, message: 'Could not authenticate you.' }] })
    } else if (path === '/oauth/request_token') {
      const tokens = issue(parameters.get('oauth_callback') ?? '')
      tokens.set('oauth_callback_confirmed', 'true')
      response.writeHead(200, form).end(tokens.toString())
    } else if (path === '/oauth/access_token') {
      const isRight = parameters.get('oauth_verifier') === 'verifier'
      response.writeHead(isRight ? 200 : 401, form).end(isRight ? issue('').toString() : 'no')
    } else if (path === '/1.1/account/verify_credentials.json') {
      answerJson(response, 200, {
        id_str: '1234567890123456789',
        name: 'Ada Lovelace',
        screen_name: 'ada',
        profile_image_url_https: 'https://pictures.example/ada.png',
        ...(person.email === null ? {} : { email: person.email }),
      })
    } else {
      return false
    }
    return true
  }
}
