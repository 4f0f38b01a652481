import {
  createSubscribePages,
  type SubscribePages,
} from '../../src/capabilities/subscribe-pages/subscribe-pages.ts'
import type { User } from '../../src/index.ts'
import type { AuthConfig } from '../../src/platform/config/config.ts'
import { type Answer, startTestAuth, type TestAuth, testPassword } from './test-auth.ts'

/** The credential and other parts of a request. */
export interface PagesRequestOptions {
  /** The value of `php-auth-pw`. */
  key?: string | undefined
  /** The session key as the password of HTTP Basic. */
  basic?: string | undefined
  token?: string | undefined
  body?: unknown
  headers?: Record<string, string>
  ip?: string
}

/** An administrator of pages. */
export interface PagesAdmin {
  user: User
  key: string
  /** The id of the key, for logging out. */
  keyId: number
}

export interface PagesAsker {
  ask(method: string, path: string, request?: PagesRequestOptions): Promise<Answer>
  logIn(email: string, password?: string): Promise<Answer>
}

/** Subscription pages beside a service with its own database. */
export interface TestPages extends PagesAsker {
  auth: TestAuth
  pages: SubscribePages
  /** Creates a user who may log in. */
  operator(privileges?: unknown): Promise<User>
  /** Creates the same, logged in. */
  admin(privileges?: unknown): Promise<PagesAdmin>
  /** Creates a page of an administrator, and returns the response. */
  page(key: string, body?: object): Promise<PageBody>
  close(): Promise<void>
}

export interface PageBody {
  id: number
  title: string
  active: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a test states the expected members of an owner
  owner: any
  data: { key: string; value: string }[]
}

export const prefix = '/api/v2'

export async function startTestPages(
  config: AuthConfig = {},
  options: { origins?: readonly string[] } = {},
): Promise<TestPages> {
  return pagesBeside(await startTestAuth(config), options)
}

/** Creates subscription pages beside an existing service. */
export function pagesBeside(
  auth: TestAuth,
  { origins = [] }: { origins?: readonly string[] } = {},
): TestPages {
  const pages = createSubscribePages({ auth: auth.auth, cors: { origins } })
  const asker = pagesClient(pages)
  let operators = 0
  const operator = (privileges?: unknown) =>
    auth.auth.admin.createUser({
      email: `operator${++operators}@example.test`,
      password: testPassword,
      emailConfirm: true,
      role: 'supabase_admin',
      ...(privileges !== undefined && { appMetadata: { privileges } }),
    })
  return {
    auth,
    pages,
    ...asker,
    operator,
    admin: async (privileges) => {
      const user = await operator(privileges)
      const { status, body } = await asker.logIn(user.email ?? '')
      if (status !== 201) throw new Error(`the log-in returned ${status}`)
      return { user, key: body.key, keyId: body.id }
    },
    page: async (key, body = {}) => {
      const answer = await asker.ask('POST', '/subscribe-pages', {
        key,
        body: { title: 'News', active: true, ...body },
      })
      if (answer.status !== 201) throw new Error(`creating the page returned ${answer.status}`)
      return answer.body
    },
    close: auth.close,
  }
}

export function pagesClient(pages: Pick<SubscribePages, 'fetch'>): PagesAsker {
  const ask: PagesAsker['ask'] = async (method, path, request = {}) => {
    const { key, basic, token, body, headers, ip } = request
    const answer = await pages.fetch(
      new Request(`http://pages.test${prefix}${path}`, {
        method,
        headers: {
          ...(key !== undefined && { 'php-auth-pw': key }),
          ...(basic !== undefined && { authorization: basicHeader(basic) }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
      { ip },
    )
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, body: parsed(text) }
  }
  return {
    ask,
    logIn: (email, password = testPassword) =>
      ask('POST', '/sessions', { body: { login_name: email, password } }),
  }
}

export const basicHeader = (key: string, user = 'anybody'): string =>
  `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
