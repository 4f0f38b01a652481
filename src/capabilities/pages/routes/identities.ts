import { displayNameOf } from '../../../accounts/users/display-name.ts'
import { isAddressIdentity } from '../../../accounts/users/user.ts'
import { Answer } from '../../../platform/http/answer.ts'
import { html } from '../../../service/pages/html.ts'
import { requireAccount, requireToken } from '../account.ts'
import { button } from '../components/button.ts'
import { hidden } from '../components/field.ts'
import { form } from '../components/form.ts'
import { removal } from '../components/removal.ts'
import { table } from '../components/table.ts'
import { formatDate } from '../format-date.ts'
import { presentPage } from '../layout.ts'
import { pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'
import { startFlow } from '../start-flow.ts'

const path = '/account/identities'

/** The accounts at external providers that sign the user in. */
export const identitiesRoute: PageRoute = {
  path,
  show: async (page, state) => {
    const account = await requireAccount(page, path)
    if (account instanceof Answer) return account
    const { text, host } = page
    const providers = await host.deps.providers.list()
    const labelOf = (name: string) => providers.find((one) => one.name === name)?.label ?? name
    const mayLink = host.deps.config.security.manualLinkingEnabled
    const linked = account.user.identities.filter((one) => !isAddressIdentity(one))
    const unlinked = providers.filter(
      ({ name }) => !linked.some(({ provider }) => provider === name),
    )
    return presentPage(
      page,
      {
        heading: text('identities.heading'),
        lead: text('identities.lead'),
        account: 'identities',
        body: html`<section>${
          linked.length === 0
            ? html`<p class="empty">${text('identities.none')}</p>`
            : table(
                text('identities.heading'),
                linked.map((identity) => ({
                  title: labelOf(identity.provider),
                  details: [
                    displayNameOf({ subject: identity.subject, claims: identity.identityData }),
                    text('security.added', { date: formatDate(page, identity.createdAt) }),
                  ],
                  actions: mayLink
                    ? removal(page, {
                        path,
                        action: 'disconnect',
                        field: { name: 'identity_id', value: identity.id },
                        label: text('identities.disconnect'),
                        effect: text('identities.disconnectEffect'),
                      })
                    : undefined,
                })),
              )
        }
${
  mayLink &&
  !account.user.isSsoUser &&
  unlinked.length > 0 &&
  html`<div class="stack">${unlinked.map(({ name, label }) =>
    form(page, {
      path,
      action: 'connect',
      body: html`${hidden('provider', name)}${button(text('identities.connect', { provider: label }), 'secondary')}`,
    }),
  )}</div>`
}</section>`,
      },
      state,
    )
  },
  actions: {
    connect: {
      limit: 'authorize',
      run: async (page, fields) => {
        const accessToken = await requireToken(page)
        const provider = fields.get('provider') ?? ''
        const input = { accessToken, provider, ...startFlow(page, 'link') }
        const { url } = await page.host.api.linkIdentity(input, page.options)
        return redirectTo(url)
      },
    },
    disconnect: {
      run: async (page, fields) => {
        const accessToken = await requireToken(page)
        const identityId = fields.get('identity_id') ?? ''
        await page.host.api.unlinkIdentity({ accessToken, identityId }, page.options)
        page.pre.notice = 'notice.unlinked'
        return redirectTo(pathTo(page, path))
      },
    },
  },
}
