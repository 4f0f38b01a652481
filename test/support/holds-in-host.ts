import { once } from 'node:events'
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { ask } from './ask.ts'
import type { ServedCommand } from './serve.ts'
import { type TestAuth, testPassword } from './test-auth.ts'

const json = { 'content-type': 'application/json' }

let users = 0
export const newUser = () => ({ email: `host${++users}@example.test`, password: testPassword })

interface MountedHost {
  /** Starts the host with Latchkey at `/auth`. */
  mount(): Promise<ServedCommand>
  /** The service that is mounted. */
  auth(): TestAuth
}

/** Declares the tests of Latchkey at `/auth` in any host, with any body parser before it. */
export function holdsInHost({ mount, auth }: MountedHost): void {
  it('signs up and in', async () => {
    const { url } = await mount()
    const body = newUser()

    const signUp = await ask(url, 'POST', '/auth/signup', { body, headers: json })
    const signIn = await ask(url, 'POST', '/auth/token?grant_type=password', {
      body,
      headers: json,
    })
    const data = { text: 'ü👩‍👩‍👧', number: 1.5, list: [null, {}] }
    const { access_token: token } = signIn.body
    const updated = await ask(url, 'PUT', '/auth/user', { token, body: { data }, headers: json })

    expect([signUp.status, signIn.status, updated.status]).toEqual([200, 200, 200])
    expect(updated.body.user_metadata).toMatchObject(data)
  })

  it('accepts a body of unknown length', async () => {
    const { url } = await mount()
    const body = new Blob([JSON.stringify(newUser())]).stream()

    const answer = await fetch(`${url}/auth/signup`, {
      method: 'POST',
      headers: json,
      body,
      duplex: 'half',
    })

    expect(answer.status).toBe(200)
  })

  it('rejects a method that no Request can express', async () => {
    const { url } = await mount()

    const [answer] = await once(request(`${url}/auth/user`, { method: 'TRACE' }).end(), 'response')

    expect([404, 405]).toContain(answer.statusCode)
  })

  it('responds 204 to a request without a body, and without a body to HEAD', async () => {
    const { url } = await mount()
    const { accessToken: token } = await auth().given.session()

    const signOut = await ask(url, 'POST', '/auth/logout', { token })
    const head = await fetch(`${url}/auth/health`, { method: 'HEAD' })

    expect([signOut.status, signOut.text]).toEqual([204, ''])
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('content-type')).toMatch('application/json')
  })

  it('rejects a missing body and a form as elsewhere', async () => {
    const { url } = await mount()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const form = new URLSearchParams(newUser())

    const empty = await ask(url, 'POST', '/auth/signup', { headers: json })
    const posted = await fetch(`${url}/auth/signup`, { method: 'POST', headers, body: form })

    expect([empty.status, empty.body.error_code]).toEqual([400, 'bad_json'])
    expect([posted.status, await posted.json()]).toMatchObject([400, { error_code: 'bad_json' }])
  })

  it('S31: sends nosniff with every JSON response, errors included', async () => {
    const { url } = await mount()
    const large = JSON.stringify({ ...newUser(), data: 'x'.repeat(70_000) })
    const { keys } = await auth().deps()
    const { published } = keys
    const send = async (method: string, path: string, body?: string) => {
      const init = { method, headers: json, ...(body !== undefined && { body }) }
      const { status, headers } = await fetch(`${url}/auth${path}`, init)
      return [status, headers.get('content-type'), headers.get('x-content-type-options')]
    }

    const answers = [
      await send('GET', '/settings'),
      await send('POST', '/signup', '{}'),
      await send('GET', '/user'),
      await send('GET', '/nowhere'),
      await send('DELETE', '/settings'),
      await send('POST', '/signup', large),
    ]
    keys.published = () => {
      throw new Error('broken')
    }
    answers.push(await send('GET', '/.well-known/jwks.json'))
    keys.published = published

    const type = 'application/json;charset=UTF-8'
    const statuses = [200, 422, 401, 404, 405, 413, 500]
    expect(answers).toEqual(statuses.map((status) => [status, type, 'nosniff']))
  })

  it('stores the address of the socket, whatever headers contain', async () => {
    const { url } = await mount()
    const headers = {
      ...json,
      'x-forwarded-for': '198.51.100.1',
      'x-real-ip': '198.51.100.2',
      forwarded: 'for=198.51.100.3',
    }

    const { body } = await ask(url, 'POST', '/auth/signup', { body: newUser(), headers })

    const sessions = await auth().rows('select ip from auth.sessions where user_id = $1', [
      body.user.id,
    ])
    expect(sessions).toEqual([{ ip: '127.0.0.1' }])
  })
}
