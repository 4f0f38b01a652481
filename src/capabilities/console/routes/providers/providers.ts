import { html, type Markup } from '../../../../service/pages/html.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { dataTable } from '../../components/data-table.ts'
import { pager } from '../../components/pager.ts'
import { badge, link, mono, time } from '../../components/values.ts'
import { presentConsole } from '../../console-layout.ts'
import {
  type ConsoleRequest,
  consolePath,
  providerPath,
  providersPath,
} from '../../console-request.ts'
import type { ConsoleRoute } from '../../console-route.ts'

const perPage = 50

/** The external providers that operators registered, and those of the configuration. */
export const providersRoute: ConsoleRoute = {
  path: providersPath,
  show: async (request) => {
    const { t, deps, settings, mayChange } = request
    const { enabled } = deps.config.customOauth
    return presentConsole(request, {
      entry: 'providers',
      heading: t('nav.providers'),
      lead: enabled
        ? t('providers.lead')
        : t('providers.disabled', { setting: settings.nameOf('customOauth.enabled') }),
      tools:
        enabled &&
        mayChange &&
        html`${linkButton(t('providers.newOidc'), newPath(request, 'oidc'), 'secondary')}
${linkButton(t('providers.newOauth2'), newPath(request, 'oauth2'), 'secondary')}`,
      body: [enabled ? await registered(request) : null, configured(request)],
    })
  },
}

const newPath = (request: ConsoleRequest, type: string): string =>
  consolePath(request, `${providersPath}/new`, { type })

async function registered(request: ConsoleRequest): Promise<Markup> {
  const { t, admin, options, query } = request
  // At most as many as the configuration permits, and never more than 1,000.
  const { providers: all } = await admin.customProviders.listProviders({}, options)
  const after = query.get('after')
  const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
  const providers = all.slice(start, start + perPage)
  const last = start + perPage < all.length ? providers.at(-1) : undefined
  return html`<section>${dataTable({
    caption: t('providers.caption'),
    columns: [
      t('column.name'),
      t('providers.identifier'),
      t('column.kind'),
      t('column.status'),
      t('column.created'),
    ],
    rows: providers.map(({ identifier, name, providerType, enabled, createdAt }) => [
      link(consolePath(request, providerPath(identifier)), name),
      mono(identifier),
      t(`providerType.${providerType}`),
      enabled ? badge(t('state.enabled'), 'good') : badge(t('state.disabled')),
      time(createdAt),
    ]),
    empty: t('providers.none'),
  })}
${pager(request, providersPath, last ? { name: 'after', value: last.id } : null, 'after')}</section>`
}

function configured({ t, deps }: ConsoleRequest): Markup {
  const enabled = Object.entries(deps.config.providers).filter(([, { enabled: is }]) => is)
  return html`<section><h2>${t('providers.configured')}</h2><p class="detail">${t('providers.configuredLead')}</p>
${dataTable({
  caption: t('providers.configured'),
  columns: [t('providers.identifier')],
  rows: enabled.map(([name]) => [mono(name)]),
  empty: t('providers.noneConfigured'),
})}</section>`
}
