import { usernameLength } from '../../../accounts/users/username.ts'
import { type Answer, jsonAnswer } from '../../../platform/http/answer.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { emailHintOf } from '../authorization-hints.ts'
import { completeSignIn } from '../complete-sign-in.ts'
import { button, linkButton } from '../components/button.ts'
import { field } from '../components/field.ts'
import { form } from '../components/form.ts'
import { keyForm } from '../components/key-form.ts'
import { newPasswordField } from '../components/new-password-field.ts'
import { hasErrors, type PageFormState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { identifierOf, methodsOf } from '../methods.ts'
import { nextOfSignedIn } from '../next-of-signed-in.ts'
import { againOf, type PageRequest, pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'
import { providerForms } from '../provider-forms.ts'
import { readCredential } from '../read-submitted-credential.ts'
import { startFlow } from '../start-flow.ts'

const path = '/sign-up'

export const signUpRoute: PageRoute = {
  path,
  replacedBy: 'signUp',
  show: async (page, state) => {
    const { main } = await page.sessions()
    // A guest may want an account.
    const isGuest = main.viewer?.claims.is_anonymous === true
    const next = state.action === null && !isGuest ? await nextOfSignedIn(page) : null
    return next === null ? present(page, state) : redirectTo(next)
  },
  actions: {
    password: {
      limit: 'signup',
      captcha: '/signup',
      run: async (page, fields) => {
        const typed = fields.get('email') ?? fields.get('phone') ?? ''
        const { phone, email = typed.trim() } = identifierOf(page.host, typed)
        const address = phone === undefined ? { email } : { phone }
        const username = fields.get('username')?.trim()
        const { user, session } = await page.host.api.signUp(
          {
            ...address,
            password: fields.get('password') ?? '',
            ...(username && { username }),
            ...(phone === undefined && startFlow(page, 'signup')),
          },
          page.options,
        )
        if (session) return completeSignIn(page, { user, session })
        page.pre.sent = { kind: 'signup', ...address }
        return redirectTo(pathTo(page, '/confirm'))
      },
    },
    'passkey-options': {
      limit: 'passkey_options',
      captcha: '/passkeys/signup/options',
      isScript: true,
      run: async (page) => {
        const { challengeId, options } = await page.host.api.startPasskeySignUp({}, page.options)
        return jsonAnswer(200, { type: 'create', challengeId, options })
      },
    },
    passkey: {
      limit: 'passkey_verify',
      run: async (page, fields) => {
        const input = readCredential(fields)
        return completeSignIn(page, await page.host.api.verifyPasskeySignUp(input, page.options))
      },
    },
  },
}

async function present(page: PageRequest, state: PageFormState): Promise<Answer> {
  const { text, host } = page
  const { signUp, password, passkeySignUp } = methodsOf(host)
  const toSignIn = html`<p>${text('signUp.hasAccount')} <a href="${pathTo(page, '/sign-in', againOf(page))}">${text('signUp.toSignIn')}</a></p>`
  if (!signUp) {
    return presentPage(
      page,
      {
        heading: text('signUp.closedHeading'),
        lead: text('signUp.closed', { site: host.siteName }),
        body: html`<div class="stack">${linkButton(text('signUp.toSignIn'), pathTo(page, '/sign-in'))}</div>`,
      },
      state,
    )
  }
  return presentPage(
    page,
    {
      heading: text('signUp.heading', { site: host.siteName }),
      body: [
        await providerForms(page, path),
        password ? passwordForm(page, state) : null,
        passkeySignUp
          ? keyForm(page, {
              path,
              options: 'passkey-options',
              action: 'passkey',
              label: text('signUp.passkey'),
              hasCaptcha: true,
            })
          : null,
        html`<div class="foot">${toSignIn}</div>`,
      ],
    },
    state,
  )
}

function passwordForm(page: PageRequest, state: PageFormState): Markup {
  const { values, errors } = state
  const { text, host } = page
  const { email, phone, username } = methodsOf(host)
  const byPhone = !email || (phone && page.event.url.searchParams.get('with') === 'phone')
  return form(page, {
    path,
    action: 'password',
    parameters: { ...againOf(page), ...(byPhone && { with: 'phone' }) },
    body: html`${
      byPhone
        ? field({
            form: 'sign-up',
            name: 'phone',
            label: text('field.phone'),
            type: 'tel',
            autocomplete: 'tel',
            hint: text('field.phoneHint'),
            value: values['phone'],
            error: errors['phone'],
            hasFocus: !hasErrors(state),
          })
        : field({
            form: 'sign-up',
            name: 'email',
            label: text('field.email'),
            type: 'email',
            autocomplete: username ? 'email' : 'username',
            value: values['email'] ?? emailHintOf(page),
            error: errors['email'],
            hasFocus: !hasErrors(state),
            maxLength: 320,
          })
    }
${
  username &&
  field({
    form: 'sign-up',
    name: 'username',
    label: text('field.username'),
    autocomplete: 'username',
    value: values['username'],
    error: errors['username'],
    isOptional: true,
    hint: `${text('field.optional')}. ${text('field.usernameHint', usernameLength)}`,
  })
}
${newPasswordField(page, { form: 'sign-up', name: 'password', error: errors['password'] })}`,
    submit: html`${button(text('signUp.submit'))}
${
  email &&
  phone &&
  html`<p class="foot"><a href="${pathTo(page, path, byPhone ? {} : { with: 'phone' })}">${text(byPhone ? 'signUp.withEmail' : 'signUp.withPhone')}</a></p>`
}`,
    hasCaptcha: true,
  })
}
