import { AuthError } from '../../../platform/errors/auth-error.ts'
import { type Answer, jsonAnswer } from '../../../platform/http/answer.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { completeSignIn } from '../complete-sign-in.ts'
import { button } from '../components/button.ts'
import { field } from '../components/field.ts'
import { form } from '../components/form.ts'
import { keyForm } from '../components/key-form.ts'
import { walletForm } from '../components/wallet-form.ts'
import { hasErrors, type PageFormState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { identifierOf, methodsOf } from '../methods.ts'
import { nextOfSignedIn } from '../next-of-signed-in.ts'
import { againOf, type PageRequest, pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'
import { providerForms } from '../provider-forms.ts'
import { readCredential } from '../read-submitted-credential.ts'
import { startFlow } from '../start-flow.ts'

const path = '/sign-in'

export const signInRoute: PageRoute = {
  path,
  replacedBy: 'signIn',
  show: async (page, state) => {
    const next = state.action === null ? await nextOfSignedIn(page) : null
    if (next !== null) return redirectTo(next)
    return present(page, state)
  },
  actions: {
    password: {
      limit: 'token',
      captcha: '/token',
      run: async (page, fields) => {
        const identifier = fields.get('identifier') ?? ''
        const credentials = identifierOf(page.host, identifier)
        const password = fields.get('password') ?? ''
        try {
          const input = { ...credentials, password }
          return await completeSignIn(
            page,
            await page.host.api.signInWithPassword(input, page.options),
          )
        } catch (error) {
          return confirmFirst(page, credentials, error)
        }
      },
    },
    code: {
      limit: 'otp',
      captcha: '/otp',
      run: async (page, fields) => {
        const given = identifierOf(page.host, fields.get('identifier') ?? '')
        const { signUp } = methodsOf(page.host)
        const kind = 'otp' as const
        if (given.phone !== undefined) {
          const { phone } = given
          const input = { phone, createUser: signUp }
          await sendUnlessUnknown(() => page.host.api.signInWithOtp(input, page.options))
          page.pre.sent = { kind, phone }
        } else {
          const email = given.email ?? given.username ?? ''
          const input = { email, createUser: signUp, ...startFlow(page, kind) }
          await sendUnlessUnknown(() => page.host.api.signInWithOtp(input, page.options))
          page.pre.sent = { kind, email }
        }
        return redirectTo(pathTo(page, '/confirm'))
      },
    },
    provider: {
      run: async (page, fields) => {
        const flow = startFlow(page, 'provider')
        const query = new URLSearchParams({
          provider: fields.get('provider') ?? '',
          redirect_to: flow.redirectTo,
          code_challenge: flow.codeChallenge,
          code_challenge_method: flow.codeChallengeMethod,
        })
        return redirectTo(`${page.host.root}/authorize?${query}`)
      },
    },
    'passkey-options': {
      limit: 'passkey_options',
      captcha: '/passkeys/authentication/options',
      isScript: true,
      run: async (page) => {
        const { challengeId, options } = await page.host.api.startPasskeyAuthentication(
          page.options,
        )
        return jsonAnswer(200, { type: 'request', challengeId, options })
      },
    },
    passkey: {
      limit: 'passkey_verify',
      run: async (page, fields) => {
        const input = readCredential(fields)
        return completeSignIn(
          page,
          await page.host.api.verifyPasskeyAuthentication(input, page.options),
        )
      },
    },
    wallet: {
      limit: 'web3',
      captcha: '/token',
      run: async (page, fields) => {
        const input = {
          chain: fields.get('chain') === 'solana' ? ('solana' as const) : ('ethereum' as const),
          message: fields.get('message') ?? '',
          signature: fields.get('signature') ?? '',
        }
        return completeSignIn(page, await page.host.api.signInWithWeb3(input, page.options))
      },
    },
    anonymous: {
      limit: 'anonymous',
      captcha: '/signup',
      run: async (page) =>
        completeSignIn(page, await page.host.api.signInAnonymously({}, page.options)),
    },
  },
}

/**
 * Sends a message. An address without a user gets none where only existing users may sign in, and
 * the page does not reveal that.
 */
async function sendUnlessUnknown(send: () => Promise<unknown>): Promise<void> {
  try {
    await send()
  } catch (error) {
    if (!(error instanceof AuthError && error.code === 'otp_disabled')) throw error
  }
}

/** A user whose address is not confirmed yet gets the page of the confirmation. */
function confirmFirst(
  page: PageRequest,
  { email, phone }: { email?: string; phone?: string },
  error: unknown,
): Answer {
  const code = error instanceof AuthError ? error.code : ''
  if (code === 'email_not_confirmed' && email !== undefined) {
    page.pre.sent = { kind: 'signup', email }
  } else if (code === 'phone_not_confirmed' && phone !== undefined) {
    page.pre.sent = { kind: 'signup', phone }
  } else throw error
  page.pre.notice = 'notice.confirmFirst'
  return redirectTo(pathTo(page, '/confirm'))
}

async function present(page: PageRequest, state: PageFormState): Promise<Answer> {
  const { text, host } = page
  const methods = methodsOf(host)
  const wantsCode = page.event.url.searchParams.get('with') === 'code' || state.action === 'code'
  const byCode = methods.code && (wantsCode || !methods.password)
  const again = againOf(page)
  return presentPage(
    page,
    {
      heading: text('signIn.heading', { site: host.siteName }),
      body: [
        await providerForms(page, path),
        ...(byCode ? [codeForm(page, state)] : methods.password ? [passwordForm(page, state)] : []),
        methods.passkey
          ? keyForm(page, {
              path,
              options: 'passkey-options',
              action: 'passkey',
              label: text('signIn.passkey'),
              hasAutofill: host.deps.captcha === null,
              hasCaptcha: true,
            })
          : null,
        ...methods.wallets.map((chain) => walletForm(page, { path, chain })),
        html`<div class="foot">
${
  methods.code &&
  methods.password &&
  html`<p>${
    byCode
      ? html`<a href="${pathTo(page, path, again)}">${text('signIn.usePassword')}</a>`
      : html`<a href="${pathTo(page, path, { ...again, with: 'code' })}">${text('signIn.useCode')}</a>`
  }</p>`
}
${methods.signUp && html`<p>${text('signIn.noAccount')} <a href="${pathTo(page, '/sign-up', again)}">${text('signIn.toSignUp')}</a></p>`}
${methods.anonymous && anonymousForm(page)}
</div>`,
      ],
    },
    state,
  )
}

const anonymousForm = (page: PageRequest): Markup =>
  form(page, {
    path,
    action: 'anonymous',
    body: html``,
    submit: button(page.text('signIn.anonymous'), 'quiet'),
    hasCaptcha: true,
  })

function passwordForm(page: PageRequest, state: PageFormState): Markup {
  const { values, errors } = state
  const { text, host, hints } = page
  const { passkey } = methodsOf(host)
  return form(page, {
    path,
    action: 'password',
    parameters: againOf(page),
    body: html`${field({
      form: 'password',
      name: 'identifier',
      ...identifierField(page),
      autocomplete: passkey ? 'username webauthn' : 'username',
      value: values['identifier'] ?? hints.login_hint,
      error: errors['identifier'],
      hasFocus: !hasErrors(state) && hints.login_hint === undefined,
    })}
${field({
  form: 'password',
  name: 'password',
  label: text('field.password'),
  type: 'password',
  autocomplete: 'current-password',
  error: errors['password'],
  hasFocus: !hasErrors(state) && hints.login_hint !== undefined,
  aside: html`<a href="${pathTo(page, '/forgot-password')}">${text('signIn.forgotPassword')}</a>`,
  reveal: { show: text('field.show'), hide: text('field.hide') },
})}`,
    submit: button(text('signIn.submit')),
    hasCaptcha: true,
  })
}

function codeForm(page: PageRequest, { values, errors }: PageFormState): Markup {
  const { text, hints } = page
  return form(page, {
    path,
    action: 'code',
    parameters: { ...againOf(page), with: 'code' },
    body: html`${field({
      form: 'code',
      name: 'identifier',
      ...identifierField(page, { withoutName: true }),
      value: values['identifier'] ?? hints.login_hint,
      error: errors['identifier'],
      hasFocus: true,
    })}`,
    submit: button(text('signIn.sendCode')),
    hasCaptcha: true,
  })
}

/** The label and type of the field that identifies a user. */
function identifierField({ text, host, language }: PageRequest, { withoutName = false } = {}) {
  const { email, phone, username } = methodsOf(host)
  const kinds = [
    ...(email ? (['email'] as const) : []),
    ...(phone ? (['phone'] as const) : []),
    ...(username && !withoutName ? (['username'] as const) : []),
  ]
  const [kind = 'email', ...others] = kinds
  const list = new Intl.ListFormat(language, { type: 'disjunction' })
  const isEmail = kind === 'email' && others.length === 0
  return {
    label:
      others.length === 0
        ? text(`field.${kind}`)
        : capitalized(list.format(kinds.map((one) => text(`field.list.${one}`))), language),
    type: isEmail ? ('email' as const) : ('text' as const),
    autocomplete: isEmail ? 'email' : 'username',
    hint: phone
      ? text(others.length === 0 ? 'field.phoneHint' : 'field.identifierHint')
      : undefined,
    maxLength: 320,
  }
}

const capitalized = ([first = '', ...rest]: string, language: string): string =>
  first.toLocaleUpperCase(language) + rest.join('')
