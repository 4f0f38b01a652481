import { html } from '../../../service/pages/html.ts'
import { emailHintOf } from '../authorization-hints.ts'
import { button } from '../components/button.ts'
import { field } from '../components/field.ts'
import { form } from '../components/form.ts'
import { presentPage } from '../layout.ts'
import { pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'
import { startFlow } from '../start-flow.ts'

const path = '/forgot-password'

/** Mails a link and code that set a new password. An unknown address gets the same response. */
export const forgotPasswordRoute: PageRoute = {
  path,
  replacedBy: 'forgotPassword',
  show: (page, state) => {
    const { text } = page
    return presentPage(
      page,
      {
        heading: text('forgot.heading'),
        lead: text('forgot.lead'),
        body: [
          form(page, {
            path,
            action: 'send',
            body: html`${field({
              form: 'forgot',
              name: 'email',
              label: text('field.email'),
              type: 'email',
              autocomplete: 'username',
              value: state.values['email'] ?? emailHintOf(page),
              error: state.errors['email'],
              hasFocus: state.error === null,
              maxLength: 320,
            })}`,
            submit: button(text('forgot.submit')),
            hasCaptcha: true,
          }),
          html`<p class="foot"><a href="${pathTo(page, '/sign-in')}">${text('confirm.back')}</a></p>`,
        ],
      },
      state,
    )
  },
  actions: {
    send: {
      limit: 'recover',
      captcha: '/recover',
      run: async (page, fields) => {
        const email = (fields.get('email') ?? '').trim()
        const input = { email, ...startFlow(page, 'recovery') }
        await page.host.api.resetPasswordForEmail(input, page.options)
        page.pre.sent = { kind: 'recovery', email }
        return redirectTo(pathTo(page, '/confirm'))
      },
    },
  },
}
