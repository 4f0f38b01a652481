import { sha256Hex } from '../../platform/kit/digest.ts'

/** @see RFC 9126 §2.2 */
export const requestUriPrefix = 'urn:ietf:params:oauth:request_uri:'

/** Returns the hash under which a request URI is stored. */
export const hashOfRequestUri = (uri: string): string => sha256Hex(`oauth-request-uri:${uri}`)

/** Returns whether a request URI may be one of a pushed request. */
export const isPushed = (uri: string | undefined): uri is string =>
  uri?.startsWith(requestUriPrefix) ?? false
