import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Auth } from '../../src/index.ts'
import { authErrorCodes } from '../../src/platform/errors/auth-error.ts'

const sources = {
  AuthApi: 'service/api/auth-api.ts',
  AdminApi: 'service/api/admin-api.ts',
  CustomProvidersApi: 'service/api/admin-api.ts',
  OauthClientsApi: 'service/api/admin-api.ts',
  OauthApi: 'service/api/oauth-api.ts',
  OutboxApi: 'service/api/outbox-api.ts',
  Auth: 'service/api/auth.ts',
}

const codes: ReadonlySet<string> = new Set(authErrorCodes)

/** The codes that the doc comment of each method lists with `@throws`: `AuthApi.signUp`. */
const listed = new Map(
  Object.entries(sources).flatMap(([name, path]) =>
    [...methodsOf(name, path)].map(([method, comment]) => [`${name}.${method}`, codesIn(comment)]),
  ),
)

function* methodsOf(name: string, path: string): Generator<[method: string, comment: string]> {
  const source = readFileSync(join(import.meta.dirname, '../../src', path), 'utf8')
  const [, body = ''] =
    new RegExp(`export interface ${name} \\{\n(.*?)\n\\}\n`, 's').exec(source) ?? []
  const seen = new Set<string>()
  for (const [, comment = '', method = ''] of body.matchAll(
    / {2}\/\*\*((?:(?!\*\/).)*)\*\/\n {2}(\w+)\(/gs,
  )) {
    // The first of several signatures has the complete comment.
    if (!seen.has(method)) yield [method, comment]
    seen.add(method)
  }
}

function codesIn(comment: string): ReadonlySet<string> {
  const thrown = [...comment.matchAll(/@throws AuthError (.*?)(?=\n\s+\* @|$)/gs)].map(
    ([, text = '']) => text,
  )
  const words = [...thrown.join('\n').matchAll(/`(\w+)`/g)].map(([, word = '']) => word)
  return new Set(words.filter((word) => codes.has(word)))
}

/** Returns the codes that a method documents: `AuthApi.signUp`. */
export function documentedErrors(method: string): ReadonlySet<string> {
  const found = listed.get(method)
  if (!found) throw new Error(`${method} has no doc comment`)
  return found
}

/** Wraps an `Auth`, so that methods may throw documented AuthErrors only. */
export const withDocumentedErrors = (auth: Auth): Auth => ({
  ...auth,
  api: { ...watched('AuthApi', auth.api), oauth: watched('OauthApi', auth.api.oauth) },
  admin: {
    ...watched('AdminApi', auth.admin),
    customProviders: watched('CustomProvidersApi', auth.admin.customProviders),
    oauth: watched('OauthClientsApi', auth.admin.oauth),
  },
  outbox: watched('OutboxApi', auth.outbox),
})

type AnyMethod = (...args: never[]) => Promise<unknown>

function watched<Api extends object>(name: string, api: Api): Api {
  const methods = Object.entries(api as Record<string, AnyMethod>).map(
    ([method, call]): [string, AnyMethod] => [
      method,
      (...args) => call(...args).catch((error) => rethrown(`${name}.${method}`, error)),
    ],
  )
  return Object.fromEntries(methods) as Api
}

function rethrown(method: string, error: { name?: unknown; code?: unknown }): never {
  if (error?.name === 'AuthError' && !documentedErrors(method).has(String(error.code))) {
    throw new Error(`the doc comment of ${method} does not list ${String(error.code)}`)
  }
  throw error
}
