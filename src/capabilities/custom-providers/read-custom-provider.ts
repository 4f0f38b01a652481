import { isReservedParameter } from '../../credentials/external/protocol/authorization-parameters.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import {
  Flag,
  fields,
  Json,
  List,
  oneOf,
  type Read,
  required,
  Text,
} from '../../platform/http/inputs.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { isStorable } from '../../platform/kit/storable-text.ts'
import { requireStorableUrl } from '../../platform/kit/url-trust.ts'
import { hasHiddenCharacter, hiddenCharacter } from '../../platform/kit/visible-text.ts'
import { type CustomProviderType, customProviderTypes } from './custom-provider.ts'
import { accountTargets, forbiddenTargets } from './map-claims.ts'

const changeable = {
  name: Text,
  clientId: Text,
  clientSecret: Text,
  acceptableClientIds: List,
  scopes: List,
  pkceEnabled: Flag,
  attributeMapping: Json,
  customClaimsAllowlist: List,
  authorizationParams: Json,
  enabled: Flag,
  emailOptional: Flag,
  skipNonceCheck: Flag,
  issuer: Text,
  discoveryUrl: Text,
  authorizationUrl: Text,
  tokenUrl: Text,
  userinfoUrl: Text,
  jwksUri: Text,
}

const identity = { providerType: oneOf(customProviderTypes), identifier: Text }

/** The fields of a new provider. */
export const providerFields = fields({
  ...changeable,
  providerType: required(oneOf(customProviderTypes)),
  identifier: required(Text),
  name: required(Text),
  clientId: required(Text),
  clientSecret: required(Text),
})

/** The fields of a change. Type and identifier must equal the provider's. */
export const providerChangeFields = fields({ ...changeable, ...identity })

export type ProviderInput = Read<typeof providerFields.kinds>

/** The checked settings of a provider, except the client secret. */
export interface ProviderSettings {
  providerType: CustomProviderType
  name: string
  clientId: string
  acceptableClientIds: string[]
  scopes: string[]
  pkceEnabled: boolean
  attributeMapping: Record<string, unknown>
  customClaimsAllowlist: string[]
  authorizationParams: Record<string, string>
  enabled: boolean
  emailOptional: boolean
  skipNonceCheck: boolean
  issuer: string | null
  discoveryUrl: string | null
  authorizationUrl: string | null
  tokenUrl: string | null
  userinfoUrl: string | null
  jwksUri: string | null
}

/**
 * Checks the form of the settings of a provider, and applies the defaults. Hosts are not resolved.
 *
 * @param current the provider before the change; null for a new one. Its name may have hidden
 *   characters, which earlier versions stored.
 * @throws AuthError `validation_failed` (400), naming the field.
 */
export function readProvider(
  input: ProviderInput,
  current: Pick<ProviderSettings, 'name'> | null,
): ProviderSettings {
  const providerType = readType(input.providerType)
  return {
    providerType,
    name: readName(input.name, current?.name),
    clientId: readText('client_id', input.clientId, maxTextLength),
    acceptableClientIds: readTexts('acceptable_client_ids', input.acceptableClientIds),
    scopes: withOpenId(providerType, readScopes(input.scopes)),
    pkceEnabled: input.pkceEnabled ?? true,
    attributeMapping: readMapping(input.attributeMapping),
    customClaimsAllowlist: readTexts('custom_claims_allowlist', input.customClaimsAllowlist),
    authorizationParams: readParameters(input.authorizationParams),
    enabled: input.enabled ?? true,
    emailOptional: input.emailOptional ?? false,
    skipNonceCheck: input.skipNonceCheck ?? false,
    ...readUrls(providerType, input),
  }
}

/**
 * Checks a client secret.
 *
 * @throws AuthError `validation_failed` (400), naming the field.
 */
export const readClientSecret = (secret: string | undefined): string =>
  readText('client_secret', secret, maxSecretLength)

/**
 * Returns the provider type of a filter; null for any.
 *
 * @throws AuthError `validation_failed` (400) for another type.
 */
export const readTypeFilter = (type: string | undefined): CustomProviderType | null =>
  type ? readType(type, 'type') : null

function readType(type: string | undefined, field = 'provider_type'): CustomProviderType {
  const known = customProviderTypes.find((one) => one === type)
  if (known) return known
  throw validationFailed(`${field}: has to be 'oauth2' or 'oidc'`)
}

const unstorable = 'cannot contain NUL characters or unpaired surrogates'

const maxNameLength = 100
const maxTextLength = 500
const maxSecretLength = 4_096
const maxEntries = 50
const maxUrlLength = 2_048

function readName(given: string | undefined, current: string | undefined): string {
  const name = readText('name', given, maxNameLength)
  if (name !== current && hasHiddenCharacter(name))
    throw validationFailed(`name: ${hiddenCharacter}`)
  return name
}

function readText(field: string, text: string | undefined, maxLength: number): string {
  if (!text || text.trim() === '') throw validationFailed(`${field}: is required`)
  if (text.length > maxLength) {
    throw validationFailed(`${field}: cannot be longer than ${maxLength} characters`)
  }
  if (!isStorable(text)) throw validationFailed(`${field}: ${unstorable}`)
  return text
}

function readTexts(field: string, given: unknown[] = []): string[] {
  const isText = (text: unknown): text is string =>
    typeof text === 'string' &&
    text.trim() !== '' &&
    text.length <= maxTextLength &&
    isStorable(text)
  if (given.length <= maxEntries && given.every(isText)) return [...new Set(given)]
  throw validationFailed(
    `${field}: has to contain at most ${maxEntries} texts, each of 1 to ${maxTextLength} characters`,
  )
}

/** @see RFC 6749 §3.3 */
const scopeForm = /^[\x21\x23-\x5b\x5d-\x7e]{1,500}$/

function readScopes(given: unknown[] = []): string[] {
  const isScope = (scope: unknown): scope is string =>
    typeof scope === 'string' && scopeForm.test(scope)
  if (given.length <= maxEntries && given.every(isScope)) return [...new Set(given)]
  throw validationFailed(
    `scopes: has to contain at most ${maxEntries} scopes, each of 1 to ${maxTextLength} visible ASCII characters without spaces, quotation marks and backslashes`,
  )
}

/** Adds the scope that OpenID Connect requires. @see OpenID Connect Core 1.0 §3.1.2.1 */
export const withOpenId = (type: CustomProviderType, scopes: readonly string[]): string[] =>
  type === 'oidc' && !scopes.includes('openid') ? ['openid', ...scopes] : [...scopes]

function readParameters(given: Record<string, unknown> = {}): Record<string, string> {
  const entries = Object.entries(given)
  if (entries.length > maxEntries) {
    throw validationFailed(
      `authorization_params: cannot contain more than ${maxEntries} parameters`,
    )
  }
  for (const [name, value] of entries) {
    if (isReservedParameter(name)) {
      throw validationFailed('authorization_params: contains a name that the service sets')
    }
    if (name === '' || !isParameterText(name)) {
      throw validationFailed(`authorization_params: names ${parameterRule}`)
    }
    if (typeof value !== 'string' || !isParameterText(value)) {
      throw validationFailed(`authorization_params: values ${parameterRule}`)
    }
  }
  return Object.fromEntries(entries) as Record<string, string>
}

const parameterRule = `have to be texts of at most ${maxTextLength} characters`

const isParameterText = (text: string): boolean => text.length <= maxTextLength && isStorable(text)

const maxMappingBytes = 8_192

function readMapping(given: Record<string, unknown> = {}): Record<string, unknown> {
  const field = 'attribute_mapping'
  if (!isRecord(given)) throw validationFailed(`${field}: must be an object`)
  const entries = Object.entries(given)
  if (entries.length > maxEntries) {
    throw validationFailed(`${field}: cannot contain more than ${maxEntries} attributes`)
  }
  if (JSON.stringify(given).length > maxMappingBytes) {
    throw validationFailed(`${field}: cannot be longer than ${maxMappingBytes} characters of JSON`)
  }
  if (!isStorableJson(given)) throw validationFailed(`${field}: ${unstorable}`)
  for (const [target, source] of entries) {
    if (target.trim() === '' || forbiddenTargets.includes(target)) {
      throw validationFailed(`${field}: contains an attribute that no provider can set`)
    }
    if (accountTargets.includes(target) && (typeof source !== 'string' || source.trim() === '')) {
      throw validationFailed(`${field}: the source of ${target} has to be the name of a claim`)
    }
  }
  return given
}

const isStorableJson = (value: unknown): boolean => {
  if (typeof value === 'string') return isStorable(value)
  if (Array.isArray(value)) return value.every(isStorableJson)
  if (!isRecord(value)) return true
  return Object.entries(value).every(([key, held]) => isStorable(key) && isStorableJson(held))
}

type Urls = Pick<ProviderSettings, 'issuer' | 'discoveryUrl' | OauthUrl>
type OauthUrl = 'authorizationUrl' | 'tokenUrl' | 'userinfoUrl' | 'jwksUri'

const urlFields = {
  issuer: 'issuer',
  discoveryUrl: 'discovery_url',
  authorizationUrl: 'authorization_url',
  tokenUrl: 'token_url',
  userinfoUrl: 'userinfo_url',
  jwksUri: 'jwks_uri',
} as const

const requiredUrls: Record<CustomProviderType, readonly (keyof Urls)[]> = {
  oidc: ['issuer'],
  oauth2: ['authorizationUrl', 'tokenUrl', 'userinfoUrl'],
}
const optionalUrls: Record<CustomProviderType, readonly (keyof Urls)[]> = {
  oidc: ['discoveryUrl'],
  oauth2: ['jwksUri'],
}

function readUrls(type: CustomProviderType, input: ProviderInput): Urls {
  const urls: Urls = {
    issuer: null,
    discoveryUrl: null,
    authorizationUrl: null,
    tokenUrl: null,
    userinfoUrl: null,
    jwksUri: null,
  }
  for (const member of Object.keys(urlFields) as (keyof Urls)[]) {
    const given = input[member]
    const field = urlFields[member]
    const isRequired = requiredUrls[type].includes(member)
    if (!given) {
      if (isRequired) throw validationFailed(`${field}: is required`)
      continue
    }
    if (!isRequired && !optionalUrls[type].includes(member)) {
      throw validationFailed(`${field}: a provider of type ${type} has none`)
    }
    const hasQuery = member === 'issuer' && given.includes('?')
    const isUrl = /^https:\/\/[^\s\\#]+$/i.test(given) && URL.canParse(given)
    if (!isUrl || hasQuery || given.length > maxUrlLength || !isStorable(given)) {
      throw validationFailed(`${field}: ${mustBePublic}`)
    }
    urls[member] = given
  }
  return urls
}

const mustBePublic = 'has to be an https URL of a public host'

/**
 * Checks the hosts of the URLs that a change sets.
 *
 * @param current the provider before the change; null for a new one.
 * @throws AuthError `validation_failed` (400), naming the field, for a host that is not public.
 */
export async function requirePublicUrls(settings: Urls, current: Urls | null): Promise<void> {
  const members = Object.keys(urlFields) as (keyof Urls)[]
  await Promise.all(
    members.map(async (member) => {
      const url = settings[member]
      if (url === null || url === current?.[member]) return
      await requireStorableUrl(url, 'outside').catch(() => {
        throw validationFailed(`${urlFields[member]}: ${mustBePublic}`)
      })
    }),
  )
}
