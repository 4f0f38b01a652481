import type {
  ProviderClient,
  ProviderDefinition,
  ProviderEndpoints,
} from '../../../platform/config/sections/provider-definition.ts'
import { issuerMissing, issuerOfOtherProvider } from './provider-errors.ts'

interface AuthorizationServer {
  definition: Pick<ProviderDefinition, 'issuer' | 'idToken'>
  client: ProviderClient
  endpoints: ProviderEndpoints
}

/**
 * Compares the `iss` of an authorization response with the issuer of the provider that received the
 * request.
 *
 * @param iss null where the response has none.
 * @throws AuthError `bad_oauth_callback` (400).
 * @see RFC 9207 §2.4, RFC 9700 §4.4
 */
export function requireResponseIssuer(server: AuthorizationServer, iss: string | null): void {
  if (iss === null) {
    if (server.endpoints.announcesIssuer === true) throw issuerMissing()
    return
  }
  if (!isIssuerOf(server, iss)) throw issuerOfOtherProvider()
}

function isIssuerOf({ definition, client, endpoints }: AuthorizationServer, iss: string): boolean {
  if (definition.issuer !== undefined) return iss === definition.issuer
  if (definition.idToken) return definition.idToken.issuerOf(iss, client) !== null
  if (endpoints.issuer !== undefined) return iss === endpoints.issuer
  // An OAuth provider that publishes no issuer: the response must be from the origin of the
  // request.
  return originOf(iss) === originOf(endpoints.authorization)
}

/** Returns null for an opaque origin, which equals no other. */
function originOf(url: string): string | null {
  const origin = URL.parse(url)?.origin
  return origin === undefined || origin === 'null' ? null : origin
}
