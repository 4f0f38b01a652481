import { html, type Markup } from '../../service/pages/html.ts'
import { button } from './components/button.ts'
import { form } from './components/form.ts'
import { methodsOf } from './methods.ts'
import type { PageRequest } from './page-request.ts'

/**
 * Returns a form for each provider, and the divider between them and the other methods.
 *
 * @param at the path of the page.
 */
export async function providerForms(page: PageRequest, at: string): Promise<Markup | null> {
  const { text, host } = page
  const { password, code } = methodsOf(host)
  const providers = await host.deps.providers.list()
  if (providers.length === 0) return null
  return html`<div class="stack">${providers.map((provider) =>
    form(page, {
      path: '/sign-in',
      action: 'provider',
      body: html`<input type="hidden" name="provider" value="${provider.name}">${button(
        text(at === '/sign-up' ? 'signUp.withProvider' : 'signIn.withProvider', {
          provider: provider.label,
        }),
        'secondary',
      )}`,
    }),
  )}</div>
${(password || code) && html`<p class="divider"><span>${text('signIn.or')}</span></p>`}`
}
