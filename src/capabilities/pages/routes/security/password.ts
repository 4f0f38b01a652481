import { html, type Markup } from '../../../../service/pages/html.ts'
import { type Account, requireToken } from '../../account.ts'
import { accountNameField } from '../../components/account-name-field.ts'
import { button } from '../../components/button.ts'
import { field } from '../../components/field.ts'
import { form } from '../../components/form.ts'
import { newPasswordField } from '../../components/new-password-field.ts'
import type { PageFormState } from '../../form-state.ts'
import { changeableMethodsOf } from '../../methods.ts'
import type { PageRequest } from '../../page-request.ts'
import type { PageAction } from '../../page-route.ts'
import { nonceField, nonceIn, nonceRequest, sendingNonce } from '../../password-nonce.ts'
import { done, errorsOf, path } from './shared.ts'

/** Changes of the password. */
export const passwordActions: Record<string, PageAction> = {
  password: {
    limit: 'update_user',
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const currentPassword = fields.get('current_password') ?? undefined
      const password = fields.get('new_password') ?? ''
      const input = { accessToken, password, currentPassword, nonce: nonceIn(fields) }
      await page.host.api.updateUser(input, page.options)
      return done(page, 'notice.passwordChanged')
    },
  },
  nonce: sendingNonce((page) => done(page, 'notice.codeSent')),
}

export function passwordSection(
  page: PageRequest,
  { user }: Account,
  state: PageFormState,
): Markup | null {
  const { text, host } = page
  if (!changeableMethodsOf(host, user).password) return null
  const { requireCurrentPassword } = host.deps.config.security.passwordUpdate
  const errors = errorsOf(state, 'password')
  return html`<section>
<h2>${text('security.password')}</h2>
<p>${text('security.passwordLead')}</p>
${nonceRequest(page, user, path)}
${form(page, {
  path,
  action: 'password',
  label: text('security.password'),
  body: html`${accountNameField(user)}
${
  requireCurrentPassword &&
  field({
    form: 'password',
    name: 'current_password',
    label: text('field.currentPassword'),
    type: 'password',
    autocomplete: 'current-password',
    error: errors['current_password'],
    isOptional: true,
  })
}
${nonceField(page, user, { form: 'password', error: errors['nonce'] })}
${newPasswordField(page, {
  form: 'password',
  name: 'new_password',
  error: errors['new_password'],
  label: text('field.newPassword'),
})}
${button(text('security.changePassword'), 'secondary')}`,
})}
</section>`
}
