import type { User } from '../../../../accounts/users/user.ts'
import { generatedLinkTypes } from '../../../../endpoints/generate-link/generate-link.endpoint.ts'
import { html, type Markup } from '../../../../service/pages/html.ts'
import { button } from '../../../pages/components/button.ts'
import { facts } from '../../components/data-table.ts'
import { formFields, textIn } from '../../components/form-fields.ts'
import { mono } from '../../components/values.ts'
import { presentConsole } from '../../console-layout.ts'
import { actionForm, type ConsoleRequest, userPath } from '../../console-request.ts'
import type { ConsoleAction } from '../../console-route.ts'

/** The form that generates a link like that of a mail; null for a user without an address. */
export function linkForm(request: ConsoleRequest, user: User): Markup | null {
  if (!request.mayChange || user.email === null) return null
  const { t } = request
  const { text, select } = formFields(request, 'link', { type: 'magiclink' })
  const choices = generatedLinkTypes.map((type) => [type, t(`linkType.${type}`)] as const)
  return html`<section><h2>${t('user.link')}</h2><p class="detail">${t('user.linkLead')}</p>
${actionForm(request, {
  path: userPath(user.id),
  action: 'link',
  label: t('user.generateLink'),
  body: html`${select('type', t('column.kind'), choices)}
${text('new_email', t('user.newEmail'), { hint: t('user.newEmailHint') })}
${button(t('user.generateLink'), 'secondary')}`,
})}</section>`
}

export const linkAction: ConsoleAction = async (request, form) => {
  const { admin, options, id, t } = request
  const { email, audience } = await admin.getUser(id, options)
  if (email === null) return { rejected: t('user.noEmail') }
  const type = generatedLinkTypes.find((one) => one === form.get('type'))
  if (!type) return { rejected: t('form.notListed', { field: t('column.kind') }) }
  const newEmail = textIn(form, 'new_email')
  const input = { type, email, audience, ...(newEmail !== '' && { newEmail }) }
  const { actionLink, emailOtp } = await admin.generateLink(input, options)
  return presentConsole(request, {
    entry: 'users',
    heading: t('user.generatedLink'),
    lead: t('user.generatedLinkLead', { email }),
    trail: [
      { label: t('nav.users'), path: '/console/users' },
      { label: email, path: userPath(id) },
    ],
    body: html`<section>${facts({ [t('user.link')]: mono(actionLink), [t('user.code')]: mono(emailOtp) })}</section>`,
  })
}
