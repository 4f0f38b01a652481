import { isBanned, type User } from '../../../../accounts/users/user.ts'
import { html, type Markup } from '../../../../service/pages/html.ts'
import { button } from '../../../pages/components/button.ts'
import { formFields, textIn } from '../../components/form-fields.ts'
import { actionForm, type ConsoleRequest, done, userPath } from '../../console-request.ts'
import type { ConsoleAction } from '../../console-route.ts'
import { nameOf } from '../users.ts'

/** The forms that ban a user, lift the ban, and set a password. */
export function acts(request: ConsoleRequest, user: User): Markup | null {
  if (!request.mayChange) return null
  const { t, deps } = request
  const { text } = formFields(request, 'password')
  return html`<section><h2>${t('user.ban')}</h2><p class="detail">${t('user.banLead')}</p>
${isBanned(user, deps.clock.now()) ? unbanForm(request, user) : banForm(request, user)}</section>
<section><h2>${t('field.password')}</h2><p class="detail">${t('user.passwordLead')}</p>
${actionForm(request, {
  path: userPath(user.id),
  action: 'password',
  label: t('user.setPassword'),
  body: html`${text('password', t('user.newPassword'), { type: 'password', autocomplete: 'new-password', isRequired: true })}${button(t('user.setPassword'), 'danger')}`,
})}</section>`
}

function banForm(request: ConsoleRequest, user: User): Markup | null {
  const { t } = request
  const { text } = formFields(request, 'ban')
  return actionForm(request, {
    path: userPath(user.id),
    action: 'ban',
    label: t('user.banForm'),
    body: html`${text('reason', t('user.banReason'), { hint: t('user.banReasonHint'), isRequired: true, maxLength: 500 })}
${text('duration', t('user.banDuration'), { hint: t('user.banDurationHint'), maxLength: 40 })}
${button(t('user.banSubmit', { name: nameOf(user) }), 'danger')}`,
  })
}

const unbanForm = (request: ConsoleRequest, user: User): Markup | null =>
  actionForm(request, {
    path: userPath(user.id),
    action: 'unban',
    body: button(request.t('user.unbanSubmit', { name: nameOf(user) }), 'secondary'),
  })

export const passwordAction: ConsoleAction = async (request, form) => {
  const { admin, options, id, t } = request
  const password = form.get('password') ?? ''
  if (password === '') return { rejected: t('form.required', { field: t('user.newPassword') }) }
  await admin.updateUser(id, { password }, options)
  return done(request, userPath(id), t('user.passwordSet'))
}

export const banAction: ConsoleAction = async (request, form) => {
  const { admin, options, id, t } = request
  const reason = textIn(form, 'reason')
  if (reason === '') return { rejected: t('form.required', { field: t('user.banReason') }) }
  const duration = textIn(form, 'duration')
  await admin.banUser(id, { reason, ...(duration !== '' && { duration }) }, options)
  return done(request, userPath(id), t('user.banned'))
}

export const unbanAction: ConsoleAction = async (request) => {
  const { admin, options, id, t } = request
  await admin.unbanUser(id, options)
  return done(request, userPath(id), t('user.unbanned'))
}
