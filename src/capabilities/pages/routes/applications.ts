import { authenticateCaller } from '../../../accounts/callers/authenticate-caller.ts'
import { Answer } from '../../../platform/http/answer.ts'
import { html } from '../../../service/pages/html.ts'
import { listOwnGrants, revokeOwnGrant } from '../../oauth-server/grants/grants.ts'
import { requireAccount, requireToken } from '../account.ts'
import { removal } from '../components/removal.ts'
import { table } from '../components/table.ts'
import { formatDate } from '../format-date.ts'
import { presentPage } from '../layout.ts'
import { meaningOf, nameOfClient, publisherOf, quotedMarkup } from '../oauth-application.ts'
import { pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'

const path = '/account/applications'

/** The applications that the user granted access to the account. */
export const applicationsRoute: PageRoute = {
  path,
  show: async (page, state) => {
    const account = await requireAccount(page, path)
    if (account instanceof Answer) return account
    const { text, ctx } = page
    const grants = await listOwnGrants(ctx, await authenticateCaller(ctx, account.accessToken))
    const label = text('applications.heading')
    const described = grants.map((grant) => {
      const publisher = publisherOf(grant.client)
      return { ...grant, publisher, name: nameOfClient(page, grant.client, publisher) }
    })
    const rows = described.map(({ client, publisher, name, scopes, grantedAt }) => ({
      title: name.quoted,
      titleMarkup: name.markup,
      details: [
        name.full === null ? null : quotedMarkup(name.full),
        publisher && text('consent.from', { domain: publisher }),
        scopes.map((scope) => meaningOf(page, scope)).join(' · '),
        text('applications.granted', { date: formatDate(page, grantedAt) }),
      ],
      actions: removal(page, {
        path,
        action: 'revoke',
        field: { name: 'client_id', value: client.clientId },
        label: text('applications.revoke'),
        effect: text('applications.revokeEffect'),
      }),
    }))
    return presentPage(
      page,
      {
        heading: label,
        lead: text('applications.lead'),
        account: 'applications',
        body:
          rows.length > 0
            ? html`<section>${table(label, rows)}</section>`
            : html`<section><p class="empty">${text('applications.none')}</p></section>`,
      },
      state,
    )
  },
  actions: {
    revoke: {
      run: async (page, fields) => {
        const caller = await authenticateCaller(page.ctx, await requireToken(page))
        await revokeOwnGrant(page.ctx, caller, fields.get('client_id') ?? '')
        page.pre.notice = 'notice.revoked'
        return redirectTo(pathTo(page, path))
      },
    },
  },
}
