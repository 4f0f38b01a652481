import { AuthError } from '../../../platform/errors/auth-error.ts'
import type { Answer } from '../../../platform/http/answer.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { completeSignIn } from '../complete-sign-in.ts'
import { button } from '../components/button.ts'
import { field } from '../components/field.ts'
import { form } from '../components/form.ts'
import type { PageFormState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { type PageRequest, pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'
import type { SentStep } from '../pre-session.ts'
import { startFlow } from '../start-flow.ts'
import { acceptInvitation, isMailedLink, presentMailedLink } from './mailed-link.ts'

const path = '/confirm'

/**
 * The page of a sent message: its code is entered here, or its link returns to the pages. With a
 * link in its query it is the page that requires a button for it.
 */
export const confirmRoute: PageRoute = {
  path,
  show: (page, state) => {
    if (isMailedLink(page)) return presentMailedLink(page, state)
    const { sent } = page.pre
    return sent ? present(page, sent, state) : redirectTo(pathTo(page, '/sign-in'))
  },
  actions: {
    invitation: acceptInvitation,
    code: {
      limit: 'verify',
      run: async (page, fields) => {
        const { sent } = page.pre
        if (!sent) return redirectTo(pathTo(page, '/sign-in'))
        const token = (fields.get('code') ?? '').replace(/\s/g, '')
        const { email, phone } = sent
        const input =
          phone === undefined
            ? { type: 'email' as const, email: email ?? '', token }
            : {
                type: sent.kind === 'phone_change' ? ('phone_change' as const) : ('sms' as const),
                phone,
                token,
              }
        const { user, session } = await page.host.api.verifyOtp(input, page.options)
        if (!session) {
          page.pre.notice = 'notice.confirmOther'
          return redirectTo(pathTo(page, '/account'))
        }
        const next = nextOf(sent)
        if (next === '/account') page.pre.notice = 'notice.addressChanged'
        return completeSignIn(page, { user, session }, next === undefined ? {} : { next })
      },
    },
    resend: {
      limit: 'resend',
      captcha: '/resend',
      run: async (page) => {
        const { sent } = page.pre
        if (!sent) return redirectTo(pathTo(page, '/sign-in'))
        await sendAgain(page, sent)
        page.pre.notice = 'notice.sentAgain'
        return redirectTo(pathTo(page, path))
      },
    },
  },
}

/** Returns the page after the confirmation; undefined for the redirect target. */
function nextOf({ kind }: Pick<SentStep, 'kind'>): string | undefined {
  if (kind === 'recovery') return '/new-password'
  return kind === 'email_change' || kind === 'phone_change' ? '/account' : undefined
}

async function sendAgain(page: PageRequest, { kind, email, phone }: SentStep): Promise<void> {
  const { api } = page.host
  const address = phone === undefined ? { email: email ?? '' } : { phone }
  const linkOptions = () => (phone === undefined ? startFlow(page, kind) : {})
  if (kind === 'recovery') {
    await api.resetPasswordForEmail({ email: email ?? '', ...linkOptions() }, page.options)
  } else if (kind === 'otp') {
    const input = {
      ...address,
      createUser: !page.host.deps.config.signUp.disabled,
      ...linkOptions(),
    }
    await api.signInWithOtp(input, page.options).catch((error: unknown) => {
      if (!(error instanceof AuthError && error.code === 'otp_disabled')) throw error
    })
  } else {
    const type = kind === 'signup' ? (phone === undefined ? 'signup' : 'sms') : kind
    await api.resend({ type, ...address, ...linkOptions() }, page.options)
  }
}

function present(page: PageRequest, sent: SentStep, state: PageFormState): Answer {
  const { text } = page
  const { phone, email = '' } = sent
  const isPhone = phone !== undefined
  const address = html`<bdi>${phone ?? email}</bdi>`
  return presentPage(
    page,
    {
      heading: text(isPhone ? 'confirm.phoneHeading' : 'confirm.heading'),
      lead: around(text(isPhone ? 'confirm.phoneLead' : 'confirm.lead'), address),
      body: [
        form(page, {
          path,
          action: 'code',
          body: html`${field({
            form: 'confirm',
            name: 'code',
            label: text('field.code'),
            autocomplete: 'one-time-code',
            inputMode: 'numeric',
            error: state.errors['code'],
            hasFocus: state.error === null,
            maxLength: 16,
          })}
${button(text('confirm.submit'))}`,
        }),
        html`<div class="foot">
<p>${text(isPhone ? 'confirm.phoneNothing' : 'confirm.nothing')}</p>
${form(page, {
  path,
  action: 'resend',
  body: html``,
  submit: button(text('confirm.resend'), 'quiet'),
  hasCaptcha: true,
})}
<p><a href="${pathTo(page, '/sign-in')}">${text('confirm.back')}</a></p>
</div>`,
      ],
    },
    state,
  )
}

/** Returns a text with a value in place of `{address}`. */
function around(text: string, value: Markup): Markup {
  const [before = '', after = ''] = text.split('{address}')
  return html`${before}<strong>${value}</strong>${after}`
}
