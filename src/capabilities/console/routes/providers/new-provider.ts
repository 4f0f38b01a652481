import { html } from '../../../../service/pages/html.ts'
import {
  type CustomProviderType,
  customProviderTypes,
} from '../../../custom-providers/custom-provider.ts'
import { button } from '../../../pages/components/button.ts'
import { hidden } from '../../../pages/components/field.ts'
import { formFields, textIn } from '../../components/form-fields.ts'
import { presentConsole } from '../../console-layout.ts'
import { actionForm, done, providerPath, providersPath } from '../../console-request.ts'
import type { ConsoleRoute } from '../../console-route.ts'
import { notPermitted } from '../../require-operator.ts'
import { providerChanges, providerFields } from './provider-form.ts'

const path = `${providersPath}/new`

/** Registers an external provider. The query states its type. */
export const newProviderRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    if (!request.mayChange) throw notPermitted()
    const { t, query, state } = request
    const type = typeOf(state.values['provider_type'] ?? query.get('type')) ?? 'oidc'
    const { text } = formFields(request, 'create', { identifier: '' })
    return presentConsole(request, {
      entry: 'providers',
      heading: t(type === 'oidc' ? 'providers.newOidc' : 'providers.newOauth2'),
      lead: t('providers.newLead'),
      trail: [{ label: t('nav.providers'), path: providersPath }],
      body: html`<section>${actionForm(request, {
        path,
        action: 'create',
        label: t('providers.create'),
        className: 'stack',
        body: html`${hidden('provider_type', type)}
${text('identifier', t('providers.identifier'), { hint: t('providers.identifierHint'), isRequired: true, maxLength: 50 })}
${providerFields(request, 'create', { type, provider: null })}${button(t('providers.create'), 'primary')}`,
      })}</section>`,
    })
  },
  actions: {
    create: async (request, form) => {
      const { t, admin, options } = request
      const changes = providerChanges(request, form)
      if ('rejected' in changes) return changes
      const providerType = typeOf(form.get('provider_type'))
      if (!providerType) return { rejected: t('form.notListed', { field: t('column.kind') }) }
      const { name = '', clientId = '', clientSecret = '', ...others } = changes
      const identifier = textIn(form, 'identifier')
      const provider = await admin.customProviders.createProvider(
        { ...others, name, clientId, clientSecret, providerType, identifier },
        options,
      )
      return done(request, providerPath(provider.identifier), t('providers.created'))
    },
  },
}

const typeOf = (text: string | null): CustomProviderType | undefined =>
  customProviderTypes.find((one) => one === text)
