import type { AuthContext } from '../../accounts/auth-context.ts'
import { callbackUrlOf } from '../../capabilities/custom-providers/callback-url.ts'
import type { CustomProvider } from '../../capabilities/custom-providers/custom-provider.ts'
import { UnreadDocumentError } from '../../capabilities/custom-providers/discovery.ts'
import {
  changeCustomProvider,
  createCustomProvider,
  getCustomProvider,
  listProviders,
  removeCustomProvider,
} from '../../capabilities/custom-providers/manage-custom-providers.ts'
import type { ProviderInput } from '../../capabilities/custom-providers/read-custom-provider.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { openCall } from '../../service/api/call-options.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { directOutsideFetch, openForCommand, operator } from '../operator.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseAction, rejectWords } from '../terminal/parse-flags.ts'
import { type CommandResult, describeProperties, printResult } from '../terminal/print-result.ts'
import { confirm, readSecret } from '../terminal/prompts.ts'
import { asUsageError } from '../terminal/rejected-input.ts'
import { unknownCommand } from '../usage.ts'

interface Request {
  words: string[]
  input: ProviderInput
  type: string | undefined
  isConfirmed: boolean
  hasSecret: boolean
}

type Work = (ctx: AuthContext) => Promise<CommandResult>

/** The actions. Each validates its arguments before a connection is opened. */
const actions: Record<string, (request: Request) => Work> = {
  list: ({ words, type }) => {
    rejectWords('providers list', words)
    return async (ctx) => describeAll((await listProviders(ctx, { type })).providers)
  },
  show: ({ words }) => {
    const identifier = requireIdentifier('show', words)
    return async (ctx) => describe(ctx, await getCustomProvider(ctx, identifier))
  },
  add: ({ words, input }) => {
    const identifier = requireIdentifier('add', words)
    const providerType = input.issuer === undefined ? 'oauth2' : 'oidc'
    rejectMissing(input)
    return async (ctx) => {
      const clientSecret = await readSecret('Client secret')
      const given = { ...input, identifier, providerType, clientSecret }
      return describe(ctx, await createCustomProvider(ctx, operator, given))
    }
  },
  change: ({ words, input, hasSecret }) => {
    const identifier = requireIdentifier('change', words)
    if (!hasSecret && Object.values(input).every((value) => value === undefined)) {
      throw new UsageError('providers change: nothing to change. Name a value by an option')
    }
    return async (ctx) => {
      const clientSecret = hasSecret ? await readSecret('Client secret') : undefined
      const given = { ...input, clientSecret }
      return describe(ctx, await changeCustomProvider(ctx, operator, identifier, given))
    }
  },
  remove: ({ words, isConfirmed }) => {
    const identifier = requireIdentifier('remove', words)
    return async (ctx) => {
      if (!isConfirmed) {
        await confirm(`Users will no longer be able to sign in with ${identifier}.`)
      }
      await removeCustomProvider(ctx, operator, identifier)
      const value = { identifier, removed: true }
      return { value, columns: ['identifier', 'state'], rows: [[identifier, 'removed']] }
    }
  },
}

/**
 * `latchkey providers [list|show|add|change|remove] [IDENTIFIER]`: the external providers that
 * operators registered.
 */
export async function providers(
  args: string[],
  { code = null }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const { name, json, ...request } = readRequest(args)
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw unknownCommand('providers', name)
  const work = action(request)
  // Secrets are sealed by the root keys.
  const isSealing = name === 'add' || name === 'change'
  const storesNothing = name === 'list' || name === 'show'
  const needs = isSealing ? 'root keys' : 'database'
  const { deps, close } = await openForCommand(needs, code, { storesNothing })
  try {
    const logger = withWarnings(deps.logger)
    const ctx = openCall({ ...deps, logger, outsideFetch: directOutsideFetch })
    printResult(await work(ctx), { json })
  } catch (error) {
    const line = { command: `providers ${name}`, options: Object.keys(flags), names }
    const rejection = asUsageError(error, line)
    const isUnread = error instanceof UnreadDocumentError
    throw isUnread ? new CommandError((rejection as Error).message) : rejection
  } finally {
    await close()
  }
}

/** Prints warnings beside the result, for the operator. */
const withWarnings = (logger: Logger): Logger => ({
  ...logger,
  warn: (_fields, message) => process.stderr.write(`${message}\n`),
})

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true } as const
const flag = { type: 'boolean', default: false } as const

const flags = {
  json: flag,
  yes: flag,
  secret: flag,
  type: text,
  name: text,
  'client-id': text,
  issuer: text,
  'discovery-url': text,
  'authorization-url': text,
  'token-url': text,
  'userinfo-url': text,
  'jwks-uri': text,
  scope: texts,
  'acceptable-client-id': texts,
  'authorization-param': texts,
  claim: texts,
  'custom-claim': texts,
  'email-optional': flag,
  'email-required': flag,
  enable: flag,
  disable: flag,
} as const

/** The options and words of fields with other names. */
const names = {
  identifier: 'IDENTIFIER',
  attribute_mapping: '--claim',
  custom_claims_allowlist: '--custom-claim',
}

/** Rejects a new provider without the options that it needs, before the secret is read. */
function rejectMissing(input: ProviderInput): void {
  const endpoints = [
    ['--authorization-url', input.authorizationUrl],
    ['--token-url', input.tokenUrl],
    ['--userinfo-url', input.userinfoUrl],
  ] as const
  const absent = endpoints.flatMap(([option, value]) => (value ? [] : [option]))
  const missing = [...(input.name ? [] : ['--name']), ...(input.clientId ? [] : ['--client-id'])]
  if (input.issuer === undefined && absent.length > 0) {
    const isAny = absent.length < endpoints.length
    missing.push(isAny ? absent.join(', ') : `--issuer (or ${absent.join(', ')})`)
  }
  if (missing.length > 0) throw new UsageError(`providers add: required: ${missing.join(', ')}`)
}

function readRequest(args: string[]) {
  const { name, words, values } = parseAction('providers', args, {
    options: flags,
    defaultName: 'list',
  })
  const input: ProviderInput = {
    name: values.name,
    clientId: values['client-id'],
    issuer: values.issuer,
    discoveryUrl: values['discovery-url'],
    authorizationUrl: values['authorization-url'],
    tokenUrl: values['token-url'],
    userinfoUrl: values['userinfo-url'],
    jwksUri: values['jwks-uri'],
    scopes: values.scope,
    acceptableClientIds: values['acceptable-client-id'],
    authorizationParams: readPairs('authorization-param', values['authorization-param']),
    attributeMapping: readPairs('claim', values.claim),
    customClaimsAllowlist: values['custom-claim'],
    emailOptional: readChoice(values, 'email-optional', 'email-required'),
    enabled: readChoice(values, 'enable', 'disable'),
  }
  const { json, yes: isConfirmed, secret: hasSecret, type } = values
  return { name, words, input, type, json, isConfirmed, hasSecret }
}

/** Returns true or false for one of two opposite flags; undefined without either. */
function readChoice<Name extends string>(
  values: Readonly<Record<Name, boolean>>,
  yes: Name,
  no: Name,
): boolean | undefined {
  if (values[yes] && values[no]) throw new UsageError(`providers: --${yes} or --${no}, not both`)
  return values[yes] || values[no] ? values[yes] : undefined
}

/** Reads arguments of the form `NAME=VALUE`. */
function readPairs(
  flagName: string,
  given: string[] | undefined,
): Record<string, string> | undefined {
  if (!given) return undefined
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new UsageError(`providers: --${flagName} expects NAME=VALUE`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

function requireIdentifier(action: string, [identifier, ...others]: string[]): string {
  if (!identifier || others.length > 0) {
    throw new UsageError(`providers ${action}: which provider? See latchkey providers list`)
  }
  return identifier
}

/** Describes a provider, with the redirect URI to register at it where the URL is configured. */
const describe = ({ config }: AuthContext, provider: CustomProvider): CommandResult => {
  const isKnown = (config.customOauth.externalUrl ?? config.externalUrl) !== ''
  const redirectUri = isKnown ? callbackUrlOf(config, provider.identifier) : undefined
  return describeProperties({ ...provider, ...(redirectUri && { redirectUri }) })
}

const describeAll = (all: CustomProvider[]): CommandResult => ({
  value: all,
  columns: ['identifier', 'type', 'state', 'created', 'name', 'client id'],
  rows: all.map((provider) => [
    provider.identifier,
    provider.providerType,
    provider.enabled ? 'enabled' : 'disabled',
    provider.createdAt.toISOString(),
    provider.name,
    provider.clientId,
  ]),
})
