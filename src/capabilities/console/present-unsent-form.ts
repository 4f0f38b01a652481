import type { Answer } from '../../platform/http/answer.ts'
import { html } from '../../service/pages/html.ts'
import { button } from '../pages/components/button.ts'
import { field, hidden } from '../pages/components/field.ts'
import { form as pageForm } from '../pages/components/form.ts'
import { noState, secretFields, valuesOf } from '../pages/form-state.ts'
import { tokenField } from '../pages/form-token.ts'
import { presentPage } from '../pages/layout.ts'
import type { PageRequest } from '../pages/page-request.ts'
import { consoleText } from './texts/texts.ts'

/**
 * Presents a form that was not accepted, because the operator has to sign in or prove a factor
 * first. It keeps the typed values, which a redirect would lose. A secret is typed again: without
 * it the form would have another effect.
 *
 * @param step the URL of the missing step.
 */
export function presentUnsentForm(page: PageRequest, form: URLSearchParams, step: string): Answer {
  const { url } = page.event
  const path = url.pathname.slice(page.host.root.length)
  const t = consoleText(page.language)
  const secrets = [...form].filter(
    ([name, value]) => secretFields.has(name) && name !== tokenField && value !== '',
  )
  const parameters = Object.fromEntries(
    [...url.searchParams].filter(([name]) => !['do', 'lang', 'redirect_to'].includes(name)),
  )
  return presentPage(
    page,
    {
      heading: t('unsent.heading'),
      lead: t('unsent.lead'),
      status: 403,
      body: html`<div class="stack"><a class="button primary" target="_blank" rel="noopener" href="${step}">${t('unsent.step')}</a>
${pageForm(page, {
  path,
  action: url.searchParams.get('do') ?? '',
  parameters,
  body: html`${Object.entries(valuesOf(form)).map(([name, value]) => hidden(name, value))}
${secrets.map(([name]) =>
  field({
    form: 'again',
    name,
    label: t(name === 'client_secret' ? 'field.clientSecret' : 'field.password'),
    type: 'password',
    autocomplete: 'off',
    hint: t('unsent.secret'),
  }),
)}${button(t('unsent.submit'), 'secondary')}`,
})}</div>`,
    },
    noState,
  )
}
