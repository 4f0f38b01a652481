import { html, type Markup } from '../../../../service/pages/html.ts'
import { callbackUrlOf } from '../../../custom-providers/callback-url.ts'
import type { CustomProvider } from '../../../custom-providers/custom-provider.ts'
import { button } from '../../../pages/components/button.ts'
import { confirmationField, dangerZone, unconfirmed } from '../../components/confirmation.ts'
import { facts } from '../../components/data-table.ts'
import { badge, json, mono, time } from '../../components/values.ts'
import { presentConsole } from '../../console-layout.ts'
import {
  actionForm,
  type ConsoleRequest,
  done,
  providerPath,
  providersPath,
} from '../../console-request.ts'
import type { ConsoleAction, ConsoleRoute } from '../../console-route.ts'
import { providerChanges, providerFields } from './provider-form.ts'

const enable =
  (enabled: boolean): ConsoleAction =>
  async (request) => {
    const { t, admin, options, id } = request
    const { identifier } = await admin.customProviders.updateProvider(id, { enabled }, options)
    const notice = t(enabled ? 'providers.wasEnabled' : 'providers.wasDisabled')
    return done(request, providerPath(identifier), notice)
  }

/** One registered provider, with the forms that change, enable, disable and delete it. */
export const providerRoute: ConsoleRoute = {
  path: providerPath(':id'),
  show: async (request) => {
    const { t, admin, options, id } = request
    const provider = await admin.customProviders.getProvider(id, options)
    return presentConsole(request, {
      entry: 'providers',
      heading: provider.name,
      lead: provider.enabled
        ? badge(t('state.enabled'), 'good')
        : html`${badge(t('state.disabled'))} ${t('providers.disabledLead')}`,
      trail: [{ label: t('nav.providers'), path: providersPath }],
      body: [settings(request, provider), ...forms(request, provider)],
    })
  },
  actions: {
    change: async (request, form) => {
      const { t, admin, options, id } = request
      const changes = providerChanges(request, form)
      if ('rejected' in changes) return changes
      const isChanged = Object.keys(changes).length > 0
      if (!isChanged) return done(request, providerPath(id), t('form.nothing'))
      await admin.customProviders.updateProvider(id, changes, options)
      return done(request, providerPath(id), t('form.saved'))
    },
    enable: enable(true),
    disable: enable(false),
    delete: async (request, form) => {
      const { t, admin, options, id } = request
      const rejection = unconfirmed(request, form, id)
      if (rejection) return rejection
      await admin.customProviders.deleteProvider(id, options)
      return done(request, providersPath, t('providers.deleted'))
    },
  },
}

function settings({ t, deps }: ConsoleRequest, provider: CustomProvider): Markup {
  return html`<section>${facts({
    [t('providers.identifier')]: mono(provider.identifier),
    [t('column.kind')]: t(`providerType.${provider.providerType}`),
    [t('clients.clientId')]: provider.clientId,
    [t('providers.callback')]: mono(callbackUrlOf(deps.config, provider.identifier)),
    [t('providers.issuer')]: provider.issuer,
    [t('providers.authorization_url')]: provider.authorizationUrl,
    [t('column.scopes')]: provider.scopes.join(' '),
    [t('column.created')]: time(provider.createdAt),
    [t('column.changed')]: time(provider.updatedAt),
  })}${provider.discoveryDocument && html`<details><summary>${t('providers.document')}</summary>${json(provider.discoveryDocument)}</details>`}</section>`
}

function forms(request: ConsoleRequest, provider: CustomProvider): Markup[] {
  const { t, mayChange } = request
  if (!mayChange) return []
  const { identifier, name, enabled, providerType: type } = provider
  const path = providerPath(identifier)
  return [
    html`<section><h2>${t('providers.change')}</h2>${actionForm(request, {
      path,
      action: 'change',
      label: t('providers.change'),
      className: 'stack',
      body: html`${providerFields(request, 'change', { type, provider })}${button(t('form.save'), 'primary')}`,
    })}</section>`,
    html`<section><h2>${t('column.status')}</h2><p class="detail">${t('providers.statusLead')}</p>
${actionForm(request, {
  path,
  action: enabled ? 'disable' : 'enable',
  body: button(
    t(enabled ? 'providers.disableSubmit' : 'providers.enableSubmit', { name }),
    enabled ? 'danger' : 'secondary',
  ),
})}</section>`,
    dangerZone(
      t('providers.delete'),
      html`<p>${t('providers.deleteLead')}</p>${actionForm(request, {
        path,
        action: 'delete',
        label: t('providers.delete'),
        body: html`${confirmationField(request, 'delete', identifier)}${button(t('providers.deleteSubmit', { name }), 'danger')}`,
      })}`,
    ),
  ]
}
