import { boolean } from '../../platform/config/kinds/choices.ts'
import { list } from '../../platform/config/kinds/lists.ts'
import { map } from '../../platform/config/kinds/maps.ts'
import { seconds } from '../../platform/config/kinds/numbers.ts'
import { text } from '../../platform/config/kinds/texts.ts'
import { urlOrPath } from '../../platform/config/kinds/urls.ts'
import { live } from '../../platform/config/setting.ts'

export const settings = [
  live('oauthServer.enabled', {
    env: 'OAUTH_SERVER_ENABLED',
    kind: boolean,
    default: false,
    description: 'OAuth 2.1 and OpenID Connect provider of other applications.',
  }),
  live('oauthServer.allowDynamicRegistration', {
    env: 'OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION',
    kind: boolean,
    default: false,
    description: 'Allows clients to register themselves.',
  }),
  live('oauthServer.authorizationPath', {
    env: 'OAUTH_SERVER_AUTHORIZATION_PATH',
    kind: urlOrPath,
    default: null,
    description: 'Path of the consent page on the site.',
  }),
  live('oauthServer.authorizationLifetimeSeconds', {
    env: 'OAUTH_SERVER_AUTHORIZATION_TTL',
    kind: seconds({ min: 1, max: 86_400 }),
    default: 600,
    description: 'Time from an authorization request to the exchange of its code.',
  }),
  live('oauthServer.defaultScope', {
    env: 'OAUTH_SERVER_DEFAULT_SCOPE',
    kind: text,
    default: 'email',
    description: 'Scope of a request without one.',
  }),
  live('oauthServer.scopes', {
    env: null,
    kind: map(':'),
    default: {},
    defaultText: 'none',
    description: 'Scopes of the application, each with a description for its users.',
  }),
  live('oauthServer.resources', {
    env: 'OAUTH_SERVER_RESOURCES',
    kind: list(),
    default: [],
    defaultText: 'any',
    description: 'Resources (RFC 8707) for which tokens are issued.',
  }),
  live('oauthServer.clientCredentials.enabled', {
    env: 'OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED',
    kind: boolean,
    default: false,
    description: 'Grant `client_credentials`, for confidential clients that an operator created.',
  }),
  live('oauthServer.clientIdMetadataDocuments.enabled', {
    env: 'OAUTH_SERVER_CLIENT_ID_METADATA_DOCUMENTS_ENABLED',
    kind: boolean,
    default: false,
    description: 'Clients whose `client_id` is the URL of a document that describes them.',
  }),
  live('oauthServer.clientIdMetadataDocuments.trustedHosts', {
    env: 'OAUTH_SERVER_CLIENT_ID_METADATA_DOCUMENTS_TRUSTED_HOSTS',
    kind: list(),
    default: [],
    defaultText: 'none',
    description:
      'Hosts, as `host` or `host:port`, whose documents may come from a private address, over TLS.',
  }),
] as const
