/** Writes the derived parts of the public API's interfaces from the endpoints: `npm run docs`. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Deps } from '../src/accounts/auth-context.ts'
import { commonErrors, type Endpoint, hookErrors } from '../src/endpoints/http/endpoint.ts'
import { anyone, guardsOf } from '../src/endpoints/http/guards.ts'
import { errorMeanings } from '../src/platform/errors/error-meanings.ts'
import { fields } from '../src/platform/http/inputs.ts'
import { createAdminApi } from '../src/service/api/create-admin-api.ts'
import { createAuthApi } from '../src/service/api/create-auth-api.ts'
import { inputFieldsOf } from '../src/service/api/derived-methods.ts'
import { endpoints } from '../src/service/endpoints.ts'

const authApi = createAuthApi({} as Deps)

const interfaces = {
  'service/api/auth-api.ts': {
    prefix: 'auth.api',
    list: 'authMethods',
    names: Object.keys(authApi).filter((name) => name !== 'oauth'),
  },
  'service/api/oauth-api.ts': {
    prefix: 'auth.api.oauth',
    list: 'oauthMethods',
    names: namesIn(authApi.oauth),
  },
  'service/api/admin-api.ts': {
    prefix: 'auth.admin',
    list: 'adminMethods',
    names: namesIn(createAdminApi({} as Deps)),
  },
} as const

/** The sources that have derived parts, each with the function that renders it. */
export const generatedSources: Readonly<Record<string, () => string>> = Object.fromEntries(
  Object.entries(interfaces).map(([file, { prefix, list, names }]) => [
    file,
    () => withNames(withErrors(read(file), { prefix, names }), { prefix, list, names }),
  ]),
)

const read = (file: string): string =>
  readFileSync(join(import.meta.dirname, '../src', file), 'utf8')

/** Replaces the list of methods, which `createAuth` needs before it loads the endpoints. */
const withNames = (
  source: string,
  { prefix, list, names }: { prefix: string; list: string; names: readonly string[] },
): string =>
  source.replace(
    new RegExp(`(?<=\\nexport const ${list}: (?:[^\\n]+|\\{\\n[^}]*\\}) = \\{\\n)[^}]*`),
    names
      .map(
        (name) => `  ${keyOf(name)}: ${prefix === 'auth.api' ? firstArgumentOf(name) : 'true'},\n`,
      )
      .join(''),
  )

const keyOf = (name: string): string => (name.includes('.') ? `'${name}'` : name)

/** Returns the names of methods; that of a method in a group is `group.method`. */
function namesIn(api: object): string[] {
  return Object.entries(api).flatMap(([name, one]) =>
    typeof one === 'function' ? [name] : namesIn(one).map((inner) => `${name}.${inner}`),
  )
}

/** Returns the kind of the first argument of a method of `auth.api`; the compiler compares it. */
function firstArgumentOf(name: string): string {
  const endpoint = endpoints.find(({ inCode }) => inCode === `auth.api.${name}`)
  const hasCaller = endpoint ? guardsOf(endpoint).caller === 'user' : name === 'getProviderToken'
  if (hasCaller) return `'bearer'`
  return endpoint && inputFieldsOf(endpoint, undefined) === null ? `'options'` : `'input'`
}

/** Replaces the `@throws` of each method that an endpoint implements. */
function withErrors(
  source: string,
  { prefix, names }: { prefix: string; names: readonly string[] },
): string {
  let text = source
  for (const name of names) {
    const endpoint = endpoints.find(({ inCode }) => inCode === `${prefix}.${name}`)
    if (!endpoint) continue
    const method = name.replace(/.*\./, '')
    const comment = new RegExp(` {2}/\\*\\*(?:(?!\\*/)[^])*\\*/\\n(?= {2}${method}\\()`)
    if (!comment.test(text)) throw new Error(`${endpoint.inCode} has no doc comment`)
    text = text.replace(comment, (found) => withThrows(found, throwsTag(endpoint)))
  }
  return text
}

function withThrows(comment: string, tag: string): string {
  const lines = comment.replace(/^ {2}\/\*\* (.*) \*\/$/m, '  /**\n   * $1\n   */')
  const written = / {3}\* @throws AuthError.*\n(?: {3}\* {3}.*\n)*/
  return written.test(lines)
    ? lines.replace(written, () => tag)
    : lines.replace('   */', () => `   *\n${tag}   */`)
}

function throwsTag(endpoint: Endpoint): string {
  const codes = errorsInCode(endpoint)
  const ofHooks: readonly string[] = hookErrors.every((code) => codes.includes(code))
    ? hookErrors
    : []
  const own = codes.filter((code) => !ofHooks.includes(code))
  const families = [
    ...(ofHooks.length > 0 ? [`of hooks ${ofHooks.map((code) => `\`${code}\``).join(', ')}`] : []),
    own.map((code) => describeCode(endpoint, code)).join(', '),
  ]
  return wrapped(`@throws AuthError ${families.join('; ')}.`)
}

const shownStatuses: readonly number[] = [404, 413, 429, 503]

function describeCode({ conditions = {} }: Endpoint, code: string): string {
  const known: Readonly<Record<string, string>> = conditions
  const { statuses } = errorMeanings[code as keyof typeof errorMeanings]
  const [status] = statuses
  const isShown = statuses.length === 1 && shownStatuses.includes(Number(status))
  return [`\`${code}\``, isShown && `(${status})`, known[code]].filter(Boolean).join(' ')
}

/** Wraps a tag at 100 columns. */
function wrapped(tag: string): string {
  const lines: string[] = []
  let line = '   *'
  for (const word of tag.split(' ')) {
    if (line.length + 1 + word.length > 100) {
      lines.push(line)
      line = '   *  '
    }
    line += ` ${word}`
  }
  return [...lines, line, ''].join('\n')
}

/**
 * Errors of HTTP only: calls in code have neither headers nor a time limit, and throw faults
 * unchanged.
 */
const inHttpAlone: ReadonlySet<string> = new Set([
  'request_timeout',
  'unexpected_audience',
  'unexpected_failure',
])

/** Errors that only an operator with a user's token receives. Calls in code act without a user. */
const ofOperatorsWithToken: ReadonlySet<string> = new Set(['reauthentication_needed'])

/**
 * Returns the errors of a method in code: its own, then those that follow from its input and
 * caller. It requires no token of an operator and no captcha, and has no limit of requests.
 */
export function errorsInCode({ guards, body, query, errors }: Endpoint): string[] {
  const { caller } = guardsOf({ guards })
  // Ids in arguments are not validated like an input.
  const hasInput = caller !== 'operator' || body !== undefined || query !== undefined
  const common = commonErrors({
    guards: caller === 'operator' ? [anyone] : [{ caller }],
    ...(hasInput && { body: fields({}) }),
  }).filter((code) => hasInput || code !== 'request_entity_too_large')
  return [...new Set([...errors.toSorted(), ...common.toSorted()])]
    .filter((code) => !inHttpAlone.has(code))
    .filter((code) => caller !== 'operator' || !ofOperatorsWithToken.has(code))
}
