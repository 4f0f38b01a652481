import { html } from '../../../../service/pages/html.ts'
import { button } from '../../../pages/components/button.ts'
import { presentConsole } from '../../console-layout.ts'
import { actionForm, clientsPath } from '../../console-request.ts'
import type { ConsoleRoute } from '../../console-route.ts'
import { notPermitted } from '../../require-operator.ts'
import { clientChanges, clientFields } from './client-form.ts'
import { presentSecret } from './client-secret.ts'

const path = `${clientsPath}/new`

/** Creates an OAuth client. */
export const newClientRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    if (!request.mayChange) throw notPermitted()
    const { t } = request
    return presentConsole(request, {
      entry: 'clients',
      heading: t('clients.new'),
      lead: t('clients.newLead'),
      trail: [{ label: t('nav.clients'), path: clientsPath }],
      body: html`<section>${actionForm(request, {
        path,
        action: 'create',
        label: t('clients.new'),
        className: 'stack',
        body: html`${clientFields(request, 'create', null)}${button(t('clients.create'), 'primary')}`,
      })}</section>`,
    })
  },
  actions: {
    create: async (request, form) => {
      const { admin, options } = request
      const input = clientChanges(request, form)
      if ('rejected' in input) return input
      return presentSecret(request, await admin.oauth.createClient(input, options))
    },
  },
}
