import type { Pages } from '../../../endpoints/http/implement.ts'
import { bindBrowser } from '../../../platform/http/browser-cookie.ts'
import { sameOriginOnly } from '../../../platform/http/cors.ts'
import { html } from '../../../service/pages/html.ts'
import { hidden } from '../components/field.ts'
import { table } from '../components/table.ts'
import { noState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { openPage } from '../page-request.ts'
import type { PagesHost } from '../pages-host.ts'

/**
 * Presents the page that confirms the linking of an identity, with the cookie that binds its form
 * to the browser. The form is submitted to the URL of the page, whose state is consumed: no link to
 * another language leads back to it.
 */
export const confirmLinkingPresenter =
  (host: PagesHost): Pages['confirmLinking'] =>
  (event, { secret, browser, provider, account }) => {
    sameOriginOnly(event)
    const page = openPage(host, event)
    const { text } = page
    const names = { provider: provider.label, site: host.siteName }
    const heading = text('linking.heading', names)
    const answer = presentPage(
      page,
      {
        heading,
        lead: text('linking.effect', names),
        hasLanguageSwitch: false,
        body: html`<div class="stack">${table(heading, [
          { title: provider.account, details: [text('linking.providerAccount', names)] },
          {
            title: account.kind === 'address' ? account.address : text(`linking.${account.kind}`),
            details: [text('linking.ownAccount', names)],
          },
        ])}
<p class="notice"><strong>${text('linking.warning', names)}</strong></p></div>
<form method="post" action="?" data-pause>${hidden('confirmation', secret)}<div class="stack">
<button type="submit" class="button primary" name="decision" value="link">${text('linking.link')}</button>
<button type="submit" class="button secondary" name="decision" value="cancel">${text('linking.cancel')}</button>
</div></form>`,
      },
      noState,
    )
    answer.headers['set-cookie'] = bindBrowser(host.deps.config, browser)
    return answer
  }
