import { readFileSync } from 'node:fs'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { ClientInput } from '../../capabilities/oauth-server/clients/client-fields.ts'
import {
  createClient,
  getClient,
  listAllClients,
  regenerateClientSecret,
  removeClient,
} from '../../capabilities/oauth-server/clients/manage-clients.ts'
import {
  authMethods,
  type OauthAuthMethod,
  type OauthClient,
} from '../../capabilities/oauth-server/clients/oauth-client.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { describeError } from '../../platform/observability/describe-error.ts'
import { openCall } from '../../service/api/call-options.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { openForCommand, operator } from '../operator.ts'
import type { CodeConfig } from '../settings/code-config.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseAction, rejectWords } from '../terminal/parse-flags.ts'
import { type CommandResult, describeProperties, printResult } from '../terminal/print-result.ts'
import { confirm } from '../terminal/prompts.ts'
import { asUsageError } from '../terminal/rejected-input.ts'
import { unknownCommand } from '../usage.ts'

interface Request {
  words: string[]
  input: ClientInput
  isConfirmed: boolean
}

type Work = (ctx: AuthContext) => Promise<CommandResult>

/** The actions. Each validates its arguments before a connection is opened. */
const actions: Record<string, (request: Request) => Work> = {
  list: ({ words }) => {
    rejectWords('clients list', words)
    return async (ctx) => describeAll(await everyClient(ctx))
  },
  create: ({ words: [clientName, ...others], input }) => {
    if (clientName === undefined) throw new UsageError('clients create: the name is missing')
    rejectWords('clients create', others)
    return async (ctx) =>
      describeProperties(await createClient(ctx, operator, { ...input, clientName }))
  },
  show: ({ words }) => {
    const id = requireId('show', words)
    return async (ctx) => describeProperties(await getClient(ctx, id))
  },
  rotate: ({ words }) => {
    const id = requireId('rotate', words)
    return async (ctx) => describeProperties(await regenerateClientSecret(ctx, operator, id))
  },
  delete: ({ words, isConfirmed }) => {
    const id = requireId('delete', words)
    return async (ctx) => {
      if (!isConfirmed) {
        await confirm(`The client ${id} and its sessions will be deleted permanently.`)
      }
      await removeClient(ctx, operator, id)
      return { value: { id, deleted: true }, columns: ['id', 'state'], rows: [[id, 'deleted']] }
    }
  },
}

/**
 * `latchkey clients [list|create NAME|show ID|rotate ID|delete ID]`: the clients of the OAuth
 * server.
 */
export async function clients(
  args: string[],
  { code = null }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const { name, json, ...request } = readRequest(args)
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw unknownCommand('clients', name)
  const work = action(request)
  const storesNothing = name === 'list' || name === 'show'
  const { deps, close } = await openForCommand('database', code, { storesNothing })
  try {
    printResult(await work(openCall(deps)), { json })
  } catch (error) {
    if (!(error instanceof AuthError) || error.code !== 'feature_disabled') {
      throw asUsageError(error, { command: `clients ${name}`, options: Object.keys(flags), names })
    }
    throw new CommandError(`clients: ${error.message}: ${code ? remedyInCode(code) : remedy}`)
  } finally {
    await close()
  }
}

const remedy =
  'set AUTH_OAUTH_SERVER_ENABLED=true, or name the settings of your application: --config FILE'

const remedyInCode = ({ file }: CodeConfig): string => `set oauthServer.enabled in ${file}`

const several = { type: 'string', multiple: true } as const

const flags = {
  json: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  public: { type: 'boolean', default: false },
  'token-endpoint-auth-method': { type: 'string' },
  jwks: { type: 'string' },
  'jwks-uri': { type: 'string' },
  'redirect-uri': several,
  'grant-type': several,
  scope: several,
  'post-logout-redirect-uri': several,
  'backchannel-logout-uri': { type: 'string' },
} as const

/** The options and words of fields with other names. */
const names = { allowed_scopes: '--scope', client_name: 'NAME', client_id: 'ID' }

function readRequest(args: string[]) {
  const { name, words, values } = parseAction('clients', args, {
    options: flags,
    defaultName: 'list',
  })
  const method = values['token-endpoint-auth-method']
  const isPublic = values.public || method === 'none'
  const input: ClientInput = {
    clientType: isPublic ? 'public' : 'confidential',
    tokenEndpointAuthMethod: method === undefined ? undefined : readAuthMethod(method),
    jwks: values.jwks === undefined ? undefined : readKeyFile(values.jwks),
    jwksUri: values['jwks-uri'],
    redirectUris: values['redirect-uri'],
    grantTypes: values['grant-type'],
    allowedScopes: values.scope,
    postLogoutRedirectUris: values['post-logout-redirect-uri'],
    backchannelLogoutUri: values['backchannel-logout-uri'],
  }
  return { name, words, json: values.json, isConfirmed: values.yes, input }
}

function readAuthMethod(given: string): OauthAuthMethod {
  const method = authMethods.find((known) => known === given)
  if (method) return method
  const known = authMethods.join(', ')
  throw new UsageError(`clients create: --token-endpoint-auth-method must be one of ${known}`)
}

/** Reads a file with the public keys of a client. Its content is checked as that of a request. */
function readKeyFile(path: string): Record<string, unknown> {
  let keys: unknown
  try {
    keys = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    // The message of a parser quotes the file, which may contain a private key by mistake.
    const reason = error instanceof SyntaxError ? 'the file is not JSON' : describeError(error)
    throw new UsageError(`clients create: --jwks ${path}: ${reason}`)
  }
  if (isRecord(keys)) return keys
  throw new UsageError(`clients create: --jwks ${path}: the file must contain an object with keys`)
}

function requireId(action: string, [id, ...others]: string[]): string {
  if (!id || others.length > 0) {
    throw new UsageError(`clients ${action}: which client? See latchkey clients list`)
  }
  return id
}

const pageSize = 1_000

async function everyClient(ctx: AuthContext): Promise<OauthClient[]> {
  const found: OauthClient[] = []
  for (let page = 1; ; page += 1) {
    const { clients: some, total } = await listAllClients(ctx, { page, perPage: pageSize })
    found.push(...some)
    if (some.length === 0 || found.length >= total) return found
  }
}

const describeAll = (all: OauthClient[]): CommandResult => ({
  value: all,
  columns: ['id', 'type', 'registered', 'created', 'name', 'redirect URIs'],
  rows: all.map((client) => [
    client.clientId,
    client.clientType,
    client.registrationType,
    client.createdAt.toISOString(),
    client.clientName ?? '-',
    client.redirectUris.join(' ') || '-',
  ]),
})
