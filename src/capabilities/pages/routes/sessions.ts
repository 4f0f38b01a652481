import { Answer } from '../../../platform/http/answer.ts'
import { html } from '../../../service/pages/html.ts'
import { requireAccount, requireToken } from '../account.ts'
import { button } from '../components/button.ts'
import { hidden } from '../components/field.ts'
import { form } from '../components/form.ts'
import { table } from '../components/table.ts'
import { deviceTitle } from '../device-title.ts'
import { formatDate } from '../format-date.ts'
import { presentPage } from '../layout.ts'
import { pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'

const path = '/account/sessions'

/** The number of sessions that the page lists, the last used first. */
const perPage = 50

/** The sessions of the signed-in user. */
export const sessionsRoute: PageRoute = {
  path,
  show: async (page, state) => {
    const account = await requireAccount(page, path)
    if (account instanceof Answer) return account
    const { text, host, options } = page
    const { accessToken } = account
    const sessions = await host.api.listSessions({ accessToken, perPage }, options)
    const others = sessions.filter(({ isCurrent }) => !isCurrent)
    return presentPage(
      page,
      {
        heading: text('sessions.heading'),
        lead: text('sessions.lead'),
        account: 'sessions',
        body: html`<section>${table(
          text('sessions.heading'),
          sessions.map(({ id, device, lastUsedAt, ip, isCurrent }) => ({
            title: deviceTitle(page, device),
            badge: isCurrent ? text('sessions.current') : undefined,
            details: [
              text('sessions.lastUsed', { date: formatDate(page, lastUsedAt) }),
              ip === null ? null : text('sessions.from', { ip }),
            ],
            actions: isCurrent
              ? undefined
              : form(page, {
                  path,
                  action: 'revoke',
                  body: html`${hidden('session_id', id)}${button(text('sessions.signOut'), 'secondary')}`,
                }),
          })),
        )}
${
  others.length > 0 &&
  form(page, { path, action: 'others', body: button(text('sessions.signOutOthers'), 'danger') })
}</section>`,
      },
      state,
    )
  },
  actions: {
    revoke: {
      run: async (page, fields) => {
        const accessToken = await requireToken(page)
        const sessionId = fields.get('session_id') ?? ''
        await page.host.api.revokeSession({ accessToken, sessionId }, page.options)
        page.pre.notice = 'notice.signedOutOther'
        return redirectTo(pathTo(page, path))
      },
    },
    others: {
      run: async (page) => {
        const accessToken = await requireToken(page)
        await page.host.api.signOut({ accessToken, scope: 'others' }, page.options)
        page.pre.notice = 'notice.signedOutOthers'
        return redirectTo(pathTo(page, path))
      },
    },
  },
}
