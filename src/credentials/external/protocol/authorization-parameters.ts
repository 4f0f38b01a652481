/** Parameters that the service sets. Neither a configuration nor a request can replace them. */
const protocolParameters = [
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  // Objects whose members take precedence over the parameters. @see RFC 9101 §6.3
  'request',
  'request_uri',
]

/**
 * Parameters that no request can set. With a `response_mode` that the callback does not read, such
 * as `fragment`, the redirect of the callback would pass the code on to the site.
 */
const ownParameters = ['scope', 'nonce', 'response_mode']

/** Reports whether the service sets a parameter, in any spelling of its name. */
export const isReservedParameter = (name: string): boolean =>
  [...protocolParameters, ...ownParameters].includes(canonicalName(name))

interface FurtherParameters {
  /** The parameters of the operator, or of the provider's definition. */
  configured: Readonly<Record<string, string>>
  /** The parameters of the client's request. */
  requested: Readonly<Record<string, string>>
}

/**
 * Adds parameters to an authorization URL. A requested parameter is dropped if the URL or the
 * configuration already contains one of that name, in any spelling that a server may read as the
 * same name.
 *
 * @param query the query of the URL, with the parameters of the authorization endpoint itself.
 */
export function addParameters(
  query: URLSearchParams,
  { configured, requested }: FurtherParameters,
): void {
  const protocol = new Set(protocolParameters)
  for (const [name, value] of Object.entries(configured)) {
    if (!protocol.has(canonicalName(name))) query.set(name, value)
  }
  const reserved = new Set(
    [...protocolParameters, ...ownParameters, ...query.keys()].map((name) => canonicalName(name)),
  )
  // The `acr` in `claims` would compete with that of the operator.
  // @see OpenID Connect Core 1.0 §5.5.1.1
  if (reserved.has('acr_values')) reserved.add('claims')
  for (const [name, value] of Object.entries(requested)) {
    if (!reserved.has(canonicalName(name))) query.set(name, value)
  }
}

/**
 * Normalizes a name: servers may ignore letter case and blanks, and read `hd[]` as `hd`, `.` as
 * `_`.
 */
const canonicalName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\[.*$/s, '')
    .replaceAll(/[\s\0]/g, '')
    .replaceAll('.', '_')
