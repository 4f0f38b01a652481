import type { Answer } from '../../platform/http/answer.ts'
import { html } from '../../service/pages/html.ts'
import { button } from '../pages/components/button.ts'
import { hidden } from '../pages/components/field.ts'
import { form as pageForm } from '../pages/components/form.ts'
import { noState, valuesOf } from '../pages/form-state.ts'
import { tokenField } from '../pages/form-token.ts'
import { presentPage } from '../pages/layout.ts'
import type { PageRequest } from '../pages/page-request.ts'

/**
 * Presents a form that was not accepted, because the operator has to sign in or prove a factor
 * first. It keeps the typed values, except secrets: a redirect would lose them.
 *
 * @param step the URL of the missing step.
 */
export function presentUnsentForm(page: PageRequest, form: URLSearchParams, step: string): Answer {
  const { url } = page.event
  const path = url.pathname.slice(page.host.root.length)
  const values = Object.entries(valuesOf(form)).filter(([name]) => name !== tokenField)
  const parameters = Object.fromEntries(
    [...url.searchParams].filter(([name]) => name !== 'do' && name !== 'redirect_to'),
  )
  return presentPage(
    // The console has no other languages.
    { ...page, language: 'en', text: page.host.texts('en') },
    {
      heading: 'Nothing was changed yet',
      lead: 'Prove your second factor or sign in, in a new tab. Then submit the form again here.',
      status: 403,
      body: html`<div class="stack"><a class="button primary" target="_blank" rel="noopener" href="${step}">Continue in a new tab</a>
${pageForm(page, {
  path,
  action: url.searchParams.get('do') ?? '',
  parameters,
  body: html`${values.map(([name, value]) => hidden(name, value))}${button('Submit again', 'secondary')}`,
})}</div>`,
    },
    noState,
  )
}
