const credentials = { email: 'ada@example.test', password: 'correct horse' }

/** Headers with a forged client address. */
const forged = { 'x-forwarded-for': '198.51.100.7', 'x-real-ip': '198.51.100.7' }

/**
 * Signs up, confirms the address, and signs in, as a client does, and checks the parts of HTTP that
 * a host could break.
 *
 * @param {string} url
 * @param {{ readCode: (email: string) => Promise<string>, hasProfile: boolean }} options
 * @returns the credentials of the user.
 */
export async function useHost(url, { readCode, hasProfile }) {
  const ask = requestsTo(`${url}/auth`)
  const { email } = credentials
  expect('a sign-up', await ask('/signup', { body: credentials, headers: forged }), 200)
  const proof = { type: 'signup', email, token: await readCode(email) }
  expect('a confirmation', await ask('/verify', { body: proof, headers: forged }), 200)
  const signIn = await ask('/token?grant_type=password', { body: credentials, headers: forged })
  expect('a sign-in', signIn, 200)
  const token = signIn.body.access_token
  expect('the user', await ask('/user', { token }), 200)
  expect('a request without a token', await ask('/user'), 401)
  const wrong = { ...credentials, password: 'a wrong password' }
  expect('a wrong password', await ask('/token?grant_type=password', { body: wrong }), 400)
  expect('an unknown path', await ask('/nowhere'), 404, 'not_found')
  expect('HEAD', await ask('/health', { method: 'HEAD' }), 200)
  expect('a large body', await ask('/signup', { body: ' '.repeat(60_000) }), 400, 'bad_json')
  const preflight = { origin: 'https://other.example', 'access-control-request-method': 'PUT' }
  expect('a preflight', await ask('/user', { method: 'OPTIONS', headers: preflight }), 204)
  if (hasProfile) await useApplication(url, token)
  expect('a sign-out', await ask('/logout?scope=local', { method: 'POST', token }), 204)
  expect('the user after the sign-out', await ask('/user', { token }), 403)
  return credentials
}

/**
 * @param {string} url
 * @param {string} token
 */
async function useApplication(url, token) {
  const ask = requestsTo(url)
  expect('the application’s page', await ask('/'), 200)
  const profile = await ask('/profile', { token })
  expect('a profile', profile, 200)
  if (profile.body.message !== `hello, ${credentials.email}`) throw new Error(profile.text)
  expect('the profile without a token', await ask('/profile'), 401)
}

/**
 * @typedef {object} Sent
 * @property {string} [method]
 * @property {object | string} [body]
 * @property {string} [token]
 * @property {Record<string, string>} [headers]
 */

/** @param {string} url */
function requestsTo(url) {
  /**
   * @param {string} path
   * @param {Sent} [sent]
   */
  return async (path, { method, body, token, headers } = {}) => {
    const answer = await fetch(url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        // Clients send it without a body, too: some hosts parse a request without a type as a form.
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    })
    const text = await answer.text()
    return { status: answer.status, text, body: parse(text) }
  }
}

/**
 * @param {string} text
 * @returns {any}
 */
function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * @param {string} what
 * @param {{ status: number, text: string, body: any }} answer
 * @param {number} expected
 * @param {string} [code]
 */
function expect(what, { status, text, body }, expected, code) {
  if (status === expected && (code === undefined || body?.error_code === code)) return
  throw new Error(`${what}: ${status} ${text.slice(0, 500)}`)
}
