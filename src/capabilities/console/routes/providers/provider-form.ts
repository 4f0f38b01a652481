import { html, type Markup } from '../../../../service/pages/html.ts'
import type {
  CustomProvider,
  CustomProviderType,
  UpdateCustomProviderInput,
} from '../../../custom-providers/custom-provider.ts'
import {
  changedFields,
  formFields,
  linesOf,
  objectIn,
  textIn,
  wordsOf,
} from '../../components/form-fields.ts'
import type { ConsoleRequest, FormRejection } from '../../console-request.ts'

const urls = {
  issuer: 'issuer',
  discovery_url: 'discoveryUrl',
  authorization_url: 'authorizationUrl',
  token_url: 'tokenUrl',
  userinfo_url: 'userinfoUrl',
  jwks_uri: 'jwksUri',
} as const

type UrlField = keyof typeof urls

/** The URLs of each type; the first ones are required. */
const urlsOf: Readonly<Record<CustomProviderType, { required: UrlField[]; others: UrlField[] }>> = {
  oidc: { required: ['issuer'], others: ['discovery_url'] },
  oauth2: {
    required: ['authorization_url', 'token_url', 'userinfo_url'],
    others: ['jwks_uri'],
  },
}

const boxes = {
  enabled: 'enabled',
  pkce_enabled: 'pkceEnabled',
  email_optional: 'emailOptional',
  skip_nonce_check: 'skipNonceCheck',
} as const

const boxNames = Object.keys(boxes) as (keyof typeof boxes)[]
const objects = {
  attribute_mapping: 'attributeMapping',
  authorization_params: 'authorizationParams',
} as const
const objectNames = Object.keys(objects) as (keyof typeof objects)[]

const on = (is: boolean): string => (is ? 'on' : '')

function storedOf(provider: CustomProvider | null): Record<string, string> {
  const object = (value: object | undefined) =>
    value === undefined || Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2)
  return {
    name: provider?.name ?? '',
    client_id: provider?.clientId ?? '',
    scopes: provider?.scopes.join(' ') ?? '',
    acceptable_client_ids: provider?.acceptableClientIds.join('\n') ?? '',
    custom_claims_allowlist: provider?.customClaimsAllowlist.join('\n') ?? '',
    attribute_mapping: object(provider?.attributeMapping),
    authorization_params: object(provider?.authorizationParams),
    enabled: on(provider?.enabled ?? true),
    pkce_enabled: on(provider?.pkceEnabled ?? true),
    email_optional: on(provider?.emailOptional ?? false),
    skip_nonce_check: on(provider?.skipNonceCheck ?? false),
    ...Object.fromEntries(
      Object.entries(urls).map(([name, member]) => [name, provider?.[member] ?? '']),
    ),
  }
}

/** The fields of a provider, except its identifier. */
export function providerFields(
  request: ConsoleRequest,
  action: string,
  { type, provider }: { type: CustomProviderType; provider: CustomProvider | null },
): Markup {
  const { t } = request
  const { text, area, check } = formFields(request, action, storedOf(provider))
  const url = (isRequired: boolean) => (name: UrlField) =>
    text(name, t(`providers.${name}`), {
      isRequired,
      maxLength: 2_048,
      hint: name === 'discovery_url' ? t('providers.discoveryHint') : undefined,
    })
  return html`${text('name', t('column.name'), { hint: t('providers.nameHint'), isRequired: true, maxLength: 100 })}
${text('client_id', t('clients.clientId'), { isRequired: true, maxLength: 500 })}
${text('client_secret', t('field.clientSecret'), {
  type: 'password',
  autocomplete: 'off',
  isRequired: provider === null,
  hint: provider === null ? t('providers.secretHint') : t('providers.keptSecretHint'),
  maxLength: 4_096,
})}
${urlsOf[type].required.map(url(true))}${urlsOf[type].others.map(url(false))}
${text('scopes', t('column.scopes'), { hint: t('form.wordsHint'), maxLength: 4_096 })}
${check('enabled', t('providers.enabled'))}${check('pkce_enabled', t('providers.pkce'))}
${check('email_optional', t('providers.emailOptional'))}
${type === 'oidc' && check('skip_nonce_check', t('providers.skipNonce'))}
<details><summary>${t('providers.more')}</summary><div class="stack">
${area('acceptable_client_ids', t('providers.audiences'), { hint: t('form.linesHint') })}
${area('attribute_mapping', t('providers.mapping'), { hint: t('providers.mappingHint') })}
${area('custom_claims_allowlist', t('providers.claims'), { hint: t('form.linesHint') })}
${area('authorization_params', t('providers.parameters'), { hint: t('providers.parametersHint') })}
</div></details>`
}

/** Returns the fields of a provider that differ from those that the form showed. */
export function providerChanges(
  { t }: ConsoleRequest,
  form: URLSearchParams,
): UpdateCustomProviderInput | FormRejection {
  const text = (name: string) => textIn(form, name)
  const changes: Record<string, unknown> = {}
  for (const name of changedFields(form, Object.keys(urls) as UrlField[])) {
    changes[urls[name]] = text(name)
  }
  for (const name of changedFields(form, boxNames)) changes[boxes[name]] = text(name) === 'on'
  for (const name of changedFields(form, objectNames)) {
    const value = objectIn(form, name)
    if (value === null) return { rejected: t('form.notObject', { field: name }) }
    changes[objects[name]] = value
  }
  const readers = {
    name: ['name', text('name')],
    client_id: ['clientId', text('client_id')],
    scopes: ['scopes', wordsOf(text('scopes'))],
    acceptable_client_ids: ['acceptableClientIds', linesOf(text('acceptable_client_ids'))],
    custom_claims_allowlist: ['customClaimsAllowlist', linesOf(text('custom_claims_allowlist'))],
  } as const
  for (const name of changedFields(form, Object.keys(readers) as (keyof typeof readers)[])) {
    const [member, value] = readers[name]
    changes[member] = value
  }
  const clientSecret = form.get('client_secret') ?? ''
  if (clientSecret !== '') changes['clientSecret'] = clientSecret
  return changes
}
