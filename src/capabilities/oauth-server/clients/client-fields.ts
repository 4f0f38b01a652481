import {
  Flag,
  fields,
  List,
  LongText,
  Metadata,
  oneOf,
  type Read,
  Text,
} from '../../../platform/http/inputs.ts'
import { authMethods } from './oauth-client.ts'

/** The metadata that clients state about themselves. @see RFC 7591 §2 */
export const clientFields = fields({
  redirectUris: List,
  clientType: oneOf(['public', 'confidential']),
  tokenEndpointAuthMethod: oneOf(authMethods),
  grantTypes: List,
  responseTypes: List,
  clientName: LongText,
  clientUri: Text,
  logoUri: Text,
  jwks: Metadata,
  jwksUri: Text,
  postLogoutRedirectUris: List,
})

/** The fields that operators set: those of a registration, the scopes, and back-channel logout. */
export const operatorClientFields = fields({
  ...clientFields.kinds,
  backchannelLogoutUri: Text,
  backchannelLogoutSessionRequired: Flag,
  allowedScopes: List,
})

export type ClientInput = Read<typeof operatorClientFields.kinds>
