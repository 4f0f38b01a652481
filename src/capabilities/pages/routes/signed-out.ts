import { html } from '../../../service/pages/html.ts'
import { linkButton } from '../components/button.ts'
import { presentPage } from '../layout.ts'
import { pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'

const path = '/signed-out'

/** The page after a sign-out, and its action. */
export const signedOutRoute: PageRoute = {
  path,
  replacedBy: 'signedOut',
  show: async (page, state) => {
    const { main } = await page.sessions()
    // A link of another site must not state the end of a session that continues.
    if (main.viewer) return redirectTo(pathTo(page, '/account'))
    return presentPage(
      page,
      {
        heading: page.text('signedOut.heading'),
        lead: page.text('signedOut.lead', { site: page.host.siteName }),
        body: html`<div class="stack">${linkButton(page.text('signedOut.signIn'), pathTo(page, '/sign-in'))}</div>`,
      },
      state,
    )
  },
  actions: {
    'sign-out': {
      run: async (page) => {
        const { main, pending } = await page.sessions()
        await main.signOut()
        pending.cookies.removeSession()
        return redirectTo(pathTo(page, path))
      },
    },
  },
}
