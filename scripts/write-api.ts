/** Generates docs/api.md from types, endpoints and the examples of a test: `npm run docs`. */

import { githubSlug } from '../docs/.vitepress/github-slug.ts'
import { sections } from '../docs/.vitepress/sections.ts'
import { commonErrors, type Endpoint, hookErrors } from '../src/endpoints/http/endpoint.ts'
import { anyone, user } from '../src/endpoints/http/guards.ts'
import { type AuthErrorCode, authErrorCodes } from '../src/platform/errors/auth-error.ts'
import { errorMeanings } from '../src/platform/errors/error-meanings.ts'
import { fields } from '../src/platform/http/inputs.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { exampleReader } from './api-examples.ts'
import { type ApiTopic, apiTopics, commonFields } from './api-members.ts'
import {
  type ApiField,
  type ApiMethod,
  docOf,
  fieldsOf,
  fieldsOfName,
  methodsOf,
  namesIn,
  propertyOf,
  readLists,
  readTypes,
  type Types,
  textOf,
} from './api-types.ts'
import { withContents } from './contents.ts'
import { renderTable } from './page-table.ts'
import { errorsInCode } from './write-api-comments.ts'
import { headingOf, linkToHeading } from './write-endpoints.ts'

const errorsOfAll: readonly string[] = commonErrors({
  guards: [anyone],
  body: fields({}),
}).filter((code) => code !== 'request_timeout' && code !== 'unexpected_failure')
const errorsOfUsers: readonly string[] = commonErrors({ guards: [user] }).filter(
  (code) => !commonErrors({ guards: [anyone] }).includes(code) && code !== 'unexpected_audience',
)

/** Families of errors that a method names as one. */
const families: Readonly<Record<string, readonly string[]>> = {
  'those of hooks': hookErrors,
  'those of users': errorsOfUsers,
  'those of all calls': errorsOfAll,
}

const linkToError = (code: string) => `[\`${code}\`](errors.md#${code})`
const linksToErrors = (codes: readonly string[]) => codes.toSorted().map(linkToError).join(', ')

const introduction = `# Methods in code

<!-- Written by scripts/write-api.ts from the types, the endpoints and test/api-examples.test.ts. Run npm run docs. -->

Call Latchkey from your code: look up the methods of the service that \`createAuth\` returns, by task, with signature, fields, result, errors, the
endpoint and the client method that each corresponds to, and an example. \`auth.api\` contains what users do, \`auth.admin\` and \`auth.outbox\` what operators do.

A test runs every example on this page. Each assumes some of these names:

| Name | Value |
|---|---|
| \`auth\` | the service that \`createAuth\` returned |
| \`request\` | the request of the host that is served |
| \`email\`, \`password\` | what a user entered |
| \`accessToken\`, \`refreshToken\` | the tokens of the user's session |
| \`userId\`, \`sessionId\` and others | the ids of stored objects, as other methods return them |
| \`code\`, \`token\`, \`secret\` | what a user entered or a client stored |
| \`credential\` | what \`toJSON()\` of the browser's credential returned |

- A method throws \`AuthError\` with the code of the endpoint: [Errors](errors.md).
- A field with \`?\` may be left out. Unless the description states otherwise, it then has no effect.
- Every method accepts [\`options\`](#calloptions) as its last argument where its signature contains it: the address and languages of the client, and
  the transaction that the call joins.
- With sessions in cookies, [\`session.api\`](cookies.md#sign-in-and-out-on-the-server) has the methods of \`auth.api\` without \`accessToken\`, \`codeChallenge\` and
  \`options\`, and changes the cookies as each result requires.
- *Client method* is the method of \`@supabase/auth-js\`. \`client\` is its \`AuthClient\`, which is \`supabase.auth\` in \`@supabase/supabase-js\`.

The errors that many methods have in common:

| In the lists below | Errors |
|---|---|
${Object.entries(families)
  .map(([name, codes]) => `| *${name}* | ${linksToErrors(codes)} |`)
  .join('\n')}
`

export function renderApi(): string {
  const types = readTypes()
  const page = new ApiPage(types)
  const topics = apiTopics.map((topic) => page.topic(topic))
  const text = [introduction, ...topics, page.types()].join('\n')
  return withContents(text, '[Configuration](configuration.md)')
}

const titles = Object.assign({}, ...sections.map(({ pages }) => pages)) as Record<string, string>
const titleOf = (page: string): string => titles[page] ?? page

const interfaces: Readonly<Record<string, string>> = {
  auth: 'Auth',
  'auth.api': 'AuthApi',
  'auth.api.oauth': 'OauthApi',
  'auth.admin': 'AdminApi',
  'auth.admin.customProviders': 'CustomProvidersApi',
  'auth.admin.oauth': 'OauthClientsApi',
  'auth.outbox': 'OutboxApi',
}

/** The page while it is rendered: types that it refers to are described at its end. */
class ApiPage {
  readonly #types: Types
  readonly #shown = new Set<string>(['CallOptions'])
  readonly #example = exampleReader()
  readonly #lists = readLists()
  readonly #methods: Readonly<Record<string, Map<string, ApiMethod>>>

  constructor(types: Types) {
    this.#types = types
    this.#methods = Object.fromEntries(
      Object.entries(interfaces).map(([prefix, name]) => [
        prefix,
        methodsOf(this.#interface(name)),
      ]),
    )
  }

  #interface(name: string) {
    const found = this.#types.get(name)
    if (!found || !('members' in found)) throw new Error(`${name} is no interface`)
    return found
  }

  topic({ title, guides, members }: ApiTopic): string {
    const links = guides.map((page) => `[${titleOf(page)}](${page}.md)`).join(', ')
    const parts = Object.entries(members).map(([name, method]) => this.#member(name, method))
    return [`## ${title}\n`, `Guides: ${links}.\n`, ...parts].join('\n')
  }

  #member(path: string, clientMethod: string | null): string {
    const [, prefix = '', name = ''] = /^(.*)\.(\w+)$/.exec(path) ?? []
    const method = this.#methods[prefix]?.get(name)
    const owner = this.#interface(interfaces[prefix] ?? '')
    const property = method ? null : propertyOf(owner, name)
    if (!method && !property) throw new Error(`${path} does not exist`)
    const endpoint = endpoints.find(({ inCode }) => inCode === path)
    const signatures = method?.signatures ?? [`${name}: ${property?.type}`]
    const lines = [
      method && this.#result(method),
      this.#errors(method?.throws ?? '', endpoint),
      endpoint && `- **Endpoint** ${linkToHeading(headingOf(endpoint))}`,
      clientMethod && `- **Client method** \`client.${clientMethod}\``,
    ].filter(Boolean)
    return [
      `### ${path}\n`,
      `${(method ?? property)?.doc}\n`,
      ...signatures.map((text) => `\`${text}\`\n`),
      ...(method ? this.#parameters(method) : []),
      ...(lines.length > 0 ? [`${lines.join('\n')}\n`] : []),
      `\`\`\`ts\n${this.#example(path)}\n\`\`\`\n`,
    ].join('\n')
  }

  #parameters({ parameters, paramDocs }: ApiMethod): string[] {
    const rows = parameters.flatMap(({ name, type, isOptional }) => {
      const text = textOf(type)
      if (text === 'CallOptions') return []
      const found = fieldsOf(this.#types, type)
      if (!found || found.length === 0) {
        return [this.#input({ name, type: text, isOptional, doc: paramDocs.get(name) ?? '' })]
      }
      return found.map((field) =>
        this.#input({ ...field, doc: field.doc || (paramDocs.get(field.name) ?? '') }),
      )
    })
    if (rows.length === 0) return []
    return [`${renderTable(['Field', 'Type', 'Meaning'], rows.map(escaped))}\n`]
  }

  /** @throws Error for a field without a meaning. */
  #input(field: Omit<ApiField, 'throws'>): string[] {
    const doc = field.doc || commonFields[field.name]
    if (!doc) throw new Error(`${field.name} needs a doc comment, or a line in commonFields`)
    return this.#row({ ...field, doc })
  }

  #row({ name, type, isOptional, doc }: Omit<ApiField, 'throws'>): string[] {
    return [`\`${name}${isOptional ? '?' : ''}\``, this.#type(type), doc.replaceAll(/\n+/g, ' ')]
  }

  /** Renders a type, with a link for each name that the page describes. */
  #type(text: string): string {
    const names = namesIn(this.#types, text)
    for (const name of names) this.#shown.add(name)
    const links = names.map((name) => `[${name}](#${githubSlug(name)})`)
    if (names.length === 1 && names[0] === text) return links.join('')
    return [`\`${text}\``, ...links].join(' ')
  }

  #result({ result }: ApiMethod): string {
    const text = textOf(result).replace(/^Promise<(.*)>$/, '$1')
    return `- **Result** ${text === 'void' ? 'nothing' : this.#type(text)}`
  }

  /** Renders the errors of an endpoint by code; else the text of `@throws`, with links. */
  #errors(throws: string, endpoint: Endpoint | undefined): string {
    if (!endpoint) return throws && `- **Errors** ${withLinks(throws)}`
    const own = new Set<string>(errorsInCode(endpoint))
    const conditions: Readonly<Record<string, string>> = endpoint.conditions ?? {}
    const shared = Object.entries(families).filter(([, family]) =>
      family.every((code) => own.has(code)),
    )
    for (const code of shared.flatMap(([, family]) => family)) {
      if (conditions[code] === undefined) own.delete(code)
    }
    const parts = [
      ...[...own].toSorted().map((code) => {
        const { statuses } = errorMeanings[code as AuthErrorCode]
        const status = statuses.length === 1 && `(${statuses[0]})`
        return [linkToError(code), status, conditions[code]].filter(Boolean).join(' ')
      }),
      ...shared.map(([name]) => `*${name}*`),
    ]
    return `- **Errors** ${parts.join('; ')}`
  }

  /** Renders the types that the page refers to, and those that they refer to. */
  types(): string {
    const texts = new Map<string, string>()
    for (let waiting = [...this.#shown]; waiting.length > 0; ) {
      for (const name of waiting) texts.set(name, this.#typeSection(name))
      waiting = [...this.#shown].filter((name) => !texts.has(name))
    }
    const sorted = [...texts].sort(([one], [other]) => one.localeCompare(other, 'en'))
    return ['## Types\n', ...sorted.map(([, text]) => text)].join('\n')
  }

  #typeSection(name: string): string {
    const declaration = this.#types.get(name)
    if (!declaration) throw new Error(`${name} is not exported`)
    const doc = docOf(declaration)
    return [`### ${name}\n`, ...(doc ? [`${doc}\n`] : []), `${this.#body(name)}\n`].join('\n')
  }

  /** Returns the methods of an interface as fields, with their signatures as types. */
  #methodFields(name: string): Omit<ApiField, 'throws'>[] {
    const declaration = this.#types.get(name)
    if (!declaration || !('members' in declaration)) return []
    return [...methodsOf(declaration).values()].map(({ name, signatures, doc, throws }) => ({
      name,
      type: signatures[0]?.slice(name.length) ?? '',
      isOptional: false,
      doc: throws ? `${doc} Throws ${throws}` : doc,
    }))
  }

  /** Renders the fields of a type; else its definition. */
  #body(name: string): string {
    const page = pagesOfTypes[name]
    if (page) return page
    const shown = fieldsOfName(this.#types, name)
    if (shown?.length) {
      const rows = [...shown, ...this.#methodFields(name)].map((field) => escaped(this.#row(field)))
      return renderTable(['Field', 'Type', 'Meaning'], rows)
    }
    const declaration = this.#types.get(name)
    if (!declaration) throw new Error(`${name} is not exported`)
    if (!('type' in declaration)) return `\`\`\`ts\n${declaration.getText()}\n\`\`\``
    const text = textOf(declaration.type)
    const [, list = ''] = /^\(typeof (\w+)\)\[number\]$/.exec(text) ?? []
    const words = this.#lists.get(list)
    return words ? words.map((word) => `\`${word}\``).join(', ') : this.#type(text)
  }
}

/** Types whose values another page lists. */
const pagesOfTypes: Readonly<Record<string, string>> = {
  AuthErrorCode: 'The codes of [Errors](errors.md).',
  AuditAction: 'The actions of the [Audit log](audit.md).',
}

const knownCodes: ReadonlySet<string> = new Set(authErrorCodes)

/** Replaces the codes in a text by links to them. */
const withLinks = (text: string): string =>
  text
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .replaceAll(/`(\w+)`/g, (word, code) => (knownCodes.has(code) ? linkToError(code) : word))

/** Escapes cells of a table. */
const escaped = (cells: readonly string[]): string[] =>
  cells.map((cell) => cell.replaceAll(/(?<!\\)\|/g, '\\|'))
