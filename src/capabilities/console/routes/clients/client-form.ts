import { html, type Markup } from '../../../../service/pages/html.ts'
import {
  authMethods,
  type OauthClient,
  type UpdateOauthClientInput,
} from '../../../oauth-server/clients/oauth-client.ts'
import {
  changedFields,
  formFields,
  linesOf,
  objectIn,
  textIn,
  wordsOf,
} from '../../components/form-fields.ts'
import type { ConsoleRequest, FormRejection } from '../../console-request.ts'

const fields = [
  'client_name',
  'redirect_uris',
  'auth_method',
  'grant_types',
  'allowed_scopes',
  'client_uri',
  'logo_uri',
  'jwks_uri',
  'jwks',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
] as const

type FieldName = (typeof fields)[number]

const defaultGrantTypes = 'authorization_code\nrefresh_token'

/** Returns the fields of a stored client, or of a new one. */
const storedOf = (client: OauthClient | null): Record<FieldName, string> => ({
  client_name: client?.clientName ?? '',
  redirect_uris: client?.redirectUris.join('\n') ?? '',
  auth_method: client?.tokenEndpointAuthMethod ?? authMethods[0],
  grant_types: client?.grantTypes.join('\n') ?? defaultGrantTypes,
  allowed_scopes: client?.allowedScopes?.join(' ') ?? '',
  client_uri: client?.clientUri ?? '',
  logo_uri: client?.logoUri ?? '',
  jwks_uri: client?.jwksUri ?? '',
  jwks: client?.jwks ? JSON.stringify(client.jwks, null, 2) : '',
  post_logout_redirect_uris: client?.postLogoutRedirectUris.join('\n') ?? '',
  backchannel_logout_uri: client?.backchannelLogoutUri ?? '',
})

export function clientFields(
  request: ConsoleRequest,
  action: string,
  client: OauthClient | null,
): Markup {
  const { t } = request
  const { text, area, select } = formFields(request, action, storedOf(client))
  const methods = authMethods.map((method) => [method, t(`authMethod.${method}`)] as const)
  const uri = { maxLength: 2_048 }
  const scopes = text('allowed_scopes', t('column.scopes'), {
    hint: t(client?.allowedScopes ? 'clients.noScopeHint' : 'clients.scopesHint'),
    maxLength: 2_048,
  })
  const logout = text('backchannel_logout_uri', t('clients.backchannelLogout'), uri)
  // The metadata document determines all others.
  if (client?.registrationType === 'document') return html`${scopes}${logout}`
  return html`${text('client_name', t('column.name'), { hint: t('clients.nameHint'), isRequired: true })}
${select('auth_method', t('clients.authMethod'), methods)}
${area('redirect_uris', t('clients.redirectUris'), { hint: t('form.linesHint') })}
${area('grant_types', t('clients.grantTypes'), { hint: t('form.linesHint') })}
${scopes}
${text('client_uri', t('clients.uri'), uri)}${text('logo_uri', t('clients.logoUri'), uri)}
${text('jwks_uri', t('clients.jwksUri'), uri)}${area('jwks', t('clients.jwks'), { hint: t('clients.jwksHint') })}
${area('post_logout_redirect_uris', t('clients.postLogout'), { hint: t('form.linesHint') })}
${logout}`
}

/** Returns the fields of a client that differ from those that the form showed. */
export function clientChanges(
  { t }: ConsoleRequest,
  form: URLSearchParams,
): UpdateOauthClientInput | FormRejection {
  const changed = new Set<string>(changedFields(form, fields))
  const text = (name: FieldName) => textIn(form, name)
  const jwks = objectIn(form, 'jwks')
  if (jwks === null) return { rejected: t('form.notObject', { field: 'jwks' }) }
  const scopes = wordsOf(text('allowed_scopes'))
  const all: Record<FieldName, UpdateOauthClientInput> = {
    client_name: { clientName: text('client_name') },
    redirect_uris: { redirectUris: linesOf(text('redirect_uris')) },
    auth_method: {
      tokenEndpointAuthMethod: authMethods.find((one) => one === text('auth_method')),
    },
    grant_types: { grantTypes: wordsOf(text('grant_types')) },
    allowed_scopes: { allowedScopes: scopes },
    client_uri: { clientUri: text('client_uri') },
    logo_uri: { logoUri: text('logo_uri') },
    jwks_uri: { jwksUri: text('jwks_uri') },
    jwks: text('jwks') === '' ? { jwksUri: text('jwks_uri') } : { jwks },
    post_logout_redirect_uris: {
      postLogoutRedirectUris: linesOf(text('post_logout_redirect_uris')),
    },
    backchannel_logout_uri: { backchannelLogoutUri: text('backchannel_logout_uri') },
  }
  const parts = fields.filter((name) => changed.has(name)).map((name) => all[name])
  return Object.assign({}, ...parts)
}
