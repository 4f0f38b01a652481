import { createPublicKey, type JsonWebKey } from 'node:crypto'
import type { Config } from '../../../platform/config/config.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { isLoopbackHost } from '../../../platform/kit/ip-address.ts'
import { isRecord } from '../../../platform/kit/is-record.ts'
import { isPlainHost } from '../../../platform/kit/plain-host.ts'
import { isUuid } from '../../../platform/kit/uuid.ts'
import { hasHiddenCharacter, hiddenCharacter } from '../../../platform/kit/visible-text.ts'
import { commonGrants, enabledGrants, tokenExchangeGrant } from '../protocol/grant-types.ts'
import { isScopeName } from '../protocol/scopes.ts'
import type { ClientInput } from './client-fields.ts'
import {
  authMethods,
  type OauthAuthMethod,
  type OauthClientType,
  type OauthKeySet,
} from './oauth-client.ts'
import { hostProblem, maxUriLength, problemOfRedirectUri } from './redirect-uris.ts'

/** The checked metadata of a client. */
export interface ClientMetadata {
  clientType: OauthClientType
  authMethod: OauthAuthMethod
  redirectUris: string[]
  grantTypes: string[]
  clientName: string | null
  clientUri: string | null
  logoUri: string | null
  jwks: OauthKeySet | null
  jwksUri: string | null
  postLogoutRedirectUris: string[]
  backchannelLogoutUri: string | null
  backchannelLogoutSessionRequired: boolean
  allowedScopes: string[] | null
}

interface Needs {
  config: Pick<Config, 'oauthServer'>
  /** Whether an operator registers the client. */
  isOperator: boolean
}

/**
 * Checks the metadata of a new client, and applies the defaults.
 *
 * @throws AuthError `validation_failed` (400), naming the field.
 */
export function readNewClient(needs: Needs, input: ClientInput): ClientMetadata {
  return readClient(needs, input, typeAndMethod(input))
}

/**
 * Checks the changed metadata of a client. Members that are absent stay as they are.
 *
 * @throws AuthError `validation_failed` (400), naming the field.
 */
export function readChangedClient(
  needs: Needs,
  input: ClientInput,
  current: ClientMetadata,
): ClientMetadata {
  const { clientType: _, responseTypes: __, ...changes } = input
  if (Object.keys(changes).length === 0) throw validationFailed('No fields provided for update')
  if (input.redirectUris?.length === 0) throw validationFailed('redirect_uris: must not be empty')
  if (input.grantTypes?.length === 0) throw validationFailed('grant_types: must not be empty')
  const replacesKeys = input.jwks !== undefined || input.jwksUri !== undefined
  const merged: ClientInput = {
    redirectUris: current.redirectUris,
    grantTypes: current.grantTypes,
    clientName: current.clientName ?? undefined,
    clientUri: current.clientUri ?? undefined,
    logoUri: current.logoUri ?? undefined,
    ...(!replacesKeys && {
      jwks: (current.jwks as Record<string, unknown> | null) ?? undefined,
      jwksUri: current.jwksUri ?? undefined,
    }),
    postLogoutRedirectUris: current.postLogoutRedirectUris,
    backchannelLogoutUri: current.backchannelLogoutUri ?? undefined,
    backchannelLogoutSessionRequired: current.backchannelLogoutSessionRequired,
    allowedScopes: current.allowedScopes ?? undefined,
    tokenEndpointAuthMethod: current.authMethod,
    ...changes,
    clientType: current.clientType,
  }
  return readClient(needs, merged, typeAndMethod(merged))
}

function readClient(
  needs: Needs,
  input: ClientInput,
  { clientType, authMethod }: Pick<ClientMetadata, 'clientType' | 'authMethod'>,
): ClientMetadata {
  const grantTypes = readGrantTypes(needs, input.grantTypes, clientType)
  const { responseTypes = [] } = input
  if (responseTypes.some((type) => type !== 'code')) {
    throw validationFailed('response_types: may contain only code')
  }
  return {
    clientType,
    authMethod,
    grantTypes,
    redirectUris: readRedirectUris(input.redirectUris, grantTypes.includes('authorization_code')),
    clientName: readName(input.clientName),
    clientUri: readWebUri('client_uri', input.clientUri),
    logoUri: readWebUri('logo_uri', input.logoUri),
    ...readKeys(input, authMethod),
    postLogoutRedirectUris: readUris('post_logout_redirect_uris', input.postLogoutRedirectUris),
    backchannelLogoutUri: readBackchannelUri(input.backchannelLogoutUri),
    backchannelLogoutSessionRequired: input.backchannelLogoutSessionRequired ?? false,
    allowedScopes: readScopes(input.allowedScopes),
  }
}

/** The type determines the default of the method, and the method that of the type. */
function typeAndMethod({
  clientType,
  tokenEndpointAuthMethod: method,
}: ClientInput): Pick<ClientMetadata, 'clientType' | 'authMethod'> {
  if (clientType !== undefined && clientType !== 'public' && clientType !== 'confidential') {
    throw validationFailed("client_type: has to be 'public' or 'confidential'")
  }
  const authMethod = authMethods.find((known) => known === method)
  if (method && !authMethod) {
    throw validationFailed(`token_endpoint_auth_method: has to be one of ${authMethods.join(', ')}`)
  }
  const type = clientType ?? (authMethod === 'none' ? 'public' : 'confidential')
  const chosen = authMethod ?? (type === 'public' ? 'none' : 'client_secret_basic')
  if ((type === 'public') !== (chosen === 'none')) {
    throw validationFailed(`token_endpoint_auth_method: does not fit a ${type} client`)
  }
  return { clientType: type, authMethod: chosen }
}

/** Grants of operators only: they give access without a user who consents. */
const operatorGrants: ReadonlySet<string> = new Set(['client_credentials', tokenExchangeGrant])

function readGrantTypes(
  { config, isOperator }: Needs,
  given: unknown[] = [],
  type: OauthClientType,
) {
  const permitted = enabledGrants(config).filter(
    (grant) => !operatorGrants.has(grant) || (isOperator && type !== 'public'),
  )
  const chosen = given.length > 0 ? [...new Set(given)] : [...commonGrants]
  for (const grant of chosen) {
    if (typeof grant !== 'string' || !permitted.includes(grant)) {
      throw validationFailed(
        `grant_types: contains a grant that the client cannot have; permitted are ${permitted.join(', ')}`,
      )
    }
  }
  return chosen as string[]
}

const maxRedirectUris = 10

function readRedirectUris(given: unknown[] = [], isRequired: boolean): string[] {
  if (given.length === 0 && isRequired) throw validationFailed('redirect_uris: is required')
  return readUris('redirect_uris', given)
}

function readUris(field: string, given: unknown[] = []): string[] {
  if (given.length > maxRedirectUris) {
    throw validationFailed(`${field}: cannot contain more than ${maxRedirectUris} URIs`)
  }
  return given.map((uri) => {
    const problem = problemOfRedirectUri(uri)
    if (problem !== null) throw validationFailed(`${field}: a URI ${problem}`)
    return uri as string
  })
}

const maxNameLength = 1024
/** Reads a name. The id in the wire form of a client without one may be sent back. */
function readName(name: string | undefined): string | null {
  const isId: boolean = isUuid(name)
  if (!name || isId) return null
  if (name.length > maxNameLength) {
    throw validationFailed(`client_name: cannot be longer than ${maxNameLength} characters`)
  }
  if (hasHiddenCharacter(name)) throw validationFailed(`client_name: ${hiddenCharacter}`)
  if (!/[\p{L}\p{N}\p{S}\p{P}]/u.test(name)) {
    throw validationFailed('client_name: has to contain a letter, digit or symbol')
  }
  return name
}

/** Reads the URL of a page or image: on the web, or a path on the site. */
function readWebUri(field: string, uri: string | undefined): string | null {
  if (!uri) return null
  if (uri.length > maxUriLength) {
    throw validationFailed(`${field}: cannot be longer than ${maxUriLength} characters`)
  }
  const isPath = /^\/(?![/\\])[!-~]*$/.test(uri)
  const url = URL.parse(uri)
  const isWeb =
    url !== null && /^https?:\/\/[^/\\]/i.test(uri) && /^[!-~]+$/.test(uri) && !uri.includes('\\')
  if (isWeb && !isPlainHost(url.hostname)) throw validationFailed(`${field}: ${hostProblem}`)
  if (isPath || (isWeb && url.username === '' && url.password === '')) return uri
  throw validationFailed(`${field}: has to be an http or https URL, or a path`)
}

function readBackchannelUri(uri: string | undefined): string | null {
  if (!uri) return null
  const url = URL.parse(uri)
  const isSecure =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  if (url && isSecure && uri.length <= maxUriLength && url.username === '' && url.hash === '')
    return uri
  throw validationFailed('backchannel_logout_uri: has to be an https URL without a fragment')
}

const maxScopes = 100

function readScopes(given: unknown[] | undefined): string[] | null {
  if (given === undefined) return null
  if (given.length > maxScopes) {
    throw validationFailed(`allowed_scopes: has to contain at most ${maxScopes} scopes`)
  }
  if (!given.every(isScopeName)) {
    throw validationFailed(
      'allowed_scopes: a scope has at most 100 visible ASCII characters, without quotation marks and backslashes',
    )
  }
  return [...new Set(given)]
}

function readKeys(
  { jwks, jwksUri }: ClientInput,
  method: OauthAuthMethod,
): Pick<ClientMetadata, 'jwks' | 'jwksUri'> {
  if (jwks !== undefined && jwksUri) {
    throw validationFailed('jwks: cannot be combined with jwks_uri')
  }
  if (method === 'private_key_jwt' && jwks === undefined && !jwksUri) {
    throw validationFailed('jwks: private_key_jwt requires jwks or jwks_uri')
  }
  return { jwks: jwks === undefined ? null : readKeySet(jwks), jwksUri: readJwksUri(jwksUri) }
}

function readJwksUri(uri: string | undefined): string | null {
  if (!uri) return null
  const url = URL.parse(uri)
  if (url?.protocol === 'https:' && url.username === '' && uri.length <= maxUriLength) return uri
  throw validationFailed('jwks_uri: has to be an https URL')
}

const maxKeys = 20

/**
 * Reads a set of public keys. Members that no signature needs, such as certificates, are dropped.
 *
 * @throws AuthError `validation_failed` for a private key, or one that signs with no known
 * algorithm.
 */
function readKeySet(given: Record<string, unknown>): OauthKeySet {
  const keys = Array.isArray(given['keys']) ? given['keys'].slice(0, maxKeys + 1) : []
  if (keys.some(isPrivateKey)) {
    throw validationFailed('jwks: contains a private key or a shared secret; send public keys only')
  }
  const read = keys.map(readPublicKey).filter((key) => key !== null)
  if (read.length > 0 && read.length === keys.length && keys.length <= maxKeys) {
    return { keys: read }
  }
  throw validationFailed(`jwks: has to contain 1 to ${maxKeys} public keys in its member keys`)
}

const isPrivateKey = (jwk: unknown): boolean => isRecord(jwk) && ('d' in jwk || 'k' in jwk)

const keyMembers = ['kty', 'crv', 'n', 'e', 'x', 'y', 'kid', 'alg', 'use', 'key_ops'] as const
/** The maximum length of a key: the largest modulus that is used has 2,731 characters. */
const maxKeyLength = 4_096

function readPublicKey(jwk: unknown): Record<string, unknown> | null {
  if (!isRecord(jwk)) return null
  const present = keyMembers.filter((name) => name in jwk)
  const read = Object.fromEntries(present.map((name) => [name, jwk[name]]))
  if (JSON.stringify(read).length > maxKeyLength) return null
  try {
    createPublicKey({ key: read as JsonWebKey, format: 'jwk' })
    return read
  } catch {
    return null
  }
}
