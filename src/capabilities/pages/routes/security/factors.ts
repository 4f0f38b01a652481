import { hasVerifiedFactor } from '../../../../accounts/users/user.ts'
import { Answer } from '../../../../platform/http/answer.ts'
import { html, type Markup } from '../../../../service/pages/html.ts'
import { type Account, requireAccount, requireToken } from '../../account.ts'
import { button } from '../../components/button.ts'
import { field, hidden } from '../../components/field.ts'
import { form } from '../../components/form.ts'
import { keyForm } from '../../components/key-form.ts'
import { removal } from '../../components/removal.ts'
import { table } from '../../components/table.ts'
import { hasErrors, type PageFormState } from '../../form-state.ts'
import { formatDate } from '../../format-date.ts'
import type { PageRequest } from '../../page-request.ts'
import type { PageAction } from '../../page-route.ts'
import { labelOf } from '../second-factor.ts'
import { presentTotpEnrollment } from '../totp-enrollment.ts'
import { done, enrolled, errorsOf, newName, path, removeUnused, renewed } from './shared.ts'

/** Authenticator apps, and the removal of any factor. */
export const factorActions: Record<string, PageAction> = {
  totp: {
    limit: 'factor_enroll',
    run: async (page) => {
      const account = await requireAccount(page, path)
      if (account instanceof Answer) return account
      const { api } = page.host
      const { accessToken, user } = account
      await removeUnused(page, account, 'totp')
      const friendlyName = newName(page, user, 'totp')
      const issuer = page.host.siteName
      const input = { accessToken, factorType: 'totp' as const, friendlyName, issuer }
      return presentTotpEnrollment(page, await api.enrollFactor(input, page.options))
    },
  },
  'totp-verify': {
    limit: 'factor_verify',
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const factorId = fields.get('factor_id') ?? ''
      const { api } = page.host
      const challenge = await api.challengeFactor({ accessToken, factorId }, page.options)
      const code = (fields.get('code') ?? '').replace(/\s/g, '')
      const input = { accessToken, factorId, challengeId: challenge.id, code }
      const { session } = await api.verifyFactor(input, page.options)
      await (await page.sessions()).main.keep(session)
      return enrolled(page)
    },
  },
  remove: {
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const factorId = fields.get('factor_id') ?? ''
      await page.host.api.unenrollFactor({ accessToken, factorId }, page.options)
      const user = await renewed(page)
      return done(page, hasVerifiedFactor(user) ? 'notice.removed' : 'notice.lastFactorRemoved')
    },
  },
}

export async function factorSection(
  page: PageRequest,
  { user }: Account,
  state: PageFormState,
): Promise<Markup | null> {
  const { text, host, pre } = page
  const { mfa } = host.deps.config
  const verified = user.factors.filter(
    ({ status, factorType }) => status === 'verified' && factorType !== 'recovery_code',
  )
  const mayEnroll = [mfa.totp, mfa.phone, mfa.email, mfa.webAuthn].some(
    ({ enrollEnabled }) => enrollEnabled,
  )
  if (!mayEnroll && verified.length === 0) return null
  const waits = user.factors.find(
    ({ id, status, factorType }) =>
      id === pre.challenge?.factorId &&
      status === 'unverified' &&
      (factorType === 'phone' || factorType === 'email'),
  )
  const sentErrors = errorsOf(state, 'sent')
  return html`<section>
<h2>${text('security.factors')}</h2>
<p>${text('security.factorsLead')}</p>
${
  verified.length === 0
    ? html`<p class="empty">${text('security.noFactors')}</p>`
    : table(
        text('security.factors'),
        verified.map((factor) => ({
          title: labelOf(page, factor),
          details: [text('security.added', { date: formatDate(page, factor.createdAt) })],
          actions: removal(page, {
            path,
            action: 'remove',
            field: { name: 'factor_id', value: factor.id },
            label: text('security.remove'),
            effect: text('security.removeFactor'),
          }),
        })),
      )
}
${
  waits &&
  form(page, {
    path,
    action: 'sent-verify',
    label: labelOf(page, waits),
    body: html`${field({
      form: 'sent',
      name: 'code',
      label: text('field.code'),
      autocomplete: 'one-time-code',
      inputMode: 'numeric',
      error: errorsOf(state, 'sent-verify')['code'],
      hasFocus: !hasErrors(state),
      maxLength: 16,
    })}${button(text('security.totpConfirm'))}`,
  })
}
${mfa.totp.enrollEnabled && form(page, { path, action: 'totp', body: button(text('security.addTotp'), 'secondary') })}
${
  mfa.webAuthn.enrollEnabled &&
  keyForm(page, {
    path,
    options: 'key-options',
    action: 'key',
    label: text('security.addKey'),
  })
}
${
  mfa.email.enrollEnabled &&
  form(page, {
    path,
    action: 'sent',
    body: html`${hidden('factor_type', 'email')}${button(text('security.addEmail'), 'secondary')}`,
  })
}
${
  mfa.phone.enrollEnabled &&
  form(page, {
    path,
    action: 'sent',
    label: text('security.addPhone'),
    body: html`${hidden('factor_type', 'phone')}${field({
      form: 'factor-phone',
      name: 'phone',
      label: text('field.phone'),
      type: 'tel',
      autocomplete: 'tel',
      hint: text('field.phoneHint'),
      value: state.action === 'sent' ? state.values['phone'] : undefined,
      error: sentErrors['phone'],
    })}${button(text('security.addPhone'), 'secondary')}`,
  })
}
</section>`
}
