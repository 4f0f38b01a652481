import { AuthError } from '../../../platform/errors/auth-error.ts'
import { Answer } from '../../../platform/http/answer.ts'
import { html } from '../../../service/pages/html.ts'
import { requireAccount, requireToken } from '../account.ts'
import { accountNameField } from '../components/account-name-field.ts'
import { button } from '../components/button.ts'
import { form } from '../components/form.ts'
import { newPasswordField } from '../components/new-password-field.ts'
import { presentPage } from '../layout.ts'
import { pathTo, redirectTo, targetOf } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'
import { nonceField, nonceIn, nonceRequest, sendingNonce } from '../password-nonce.ts'
import { nameOf } from './account.ts'

const path = '/new-password'

/** Sets the password of a user who has signed in by an invitation or a recovery. */
export const newPasswordRoute: PageRoute = {
  path,
  replacedBy: 'newPassword',
  show: async (page, state) => {
    const { text } = page
    const account = await requireAccount(page, path)
    if (account instanceof Answer) return account
    const { isInvited } = page.pre
    return presentPage(
      page,
      {
        heading: text(isInvited ? 'invitation.passwordHeading' : 'newPassword.heading'),
        lead: isInvited
          ? text('invitation.passwordLead', { site: page.host.siteName })
          : text('newPassword.lead'),
        body: [
          html`<p class="hint">${text('consent.account', { account: nameOf(page, account.user) })}</p>`,
          nonceRequest(page, account.user, path),
          form(page, {
            path,
            action: 'save',
            body: html`${accountNameField(account.user)}
${nonceField(page, account.user, { form: 'new-password', error: state.errors['nonce'] })}
${newPasswordField(page, { form: 'new-password', name: 'password', error: state.errors['password'], label: text('field.newPassword') })}
${button(text('newPassword.submit'))}`,
          }),
          html`<p class="foot"><a href="${pathTo(page, '/account')}">${text('newPassword.skip')}</a></p>`,
        ],
      },
      state,
    )
  },
  actions: {
    save: {
      limit: 'update_user',
      run: async (page, fields) => {
        const accessToken = await requireToken(page)
        const password = fields.get('password') ?? ''
        const input = { accessToken, password, nonce: nonceIn(fields) }
        try {
          await page.host.api.updateUser(input, page.options)
        } catch (error) {
          const isRefused = error instanceof AuthError && error.code === 'current_password_required'
          if (!isRefused) throw error
          // The link or code was used too long ago: a new one replaces the current password.
          page.pre.notice = 'notice.signInAgain'
          return redirectTo(pathTo(page, '/forgot-password'))
        }
        page.pre.notice = 'notice.passwordChanged'
        delete page.pre.isInvited
        return redirectTo(targetOf(page))
      },
    },
    nonce: sendingNonce((page) => {
      page.pre.notice = 'notice.codeSent'
      return redirectTo(pathTo(page, path))
    }),
  },
}
