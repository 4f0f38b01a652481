import type { EnrolledFactor } from '../../../endpoints/second-factor/second-factor.endpoint.ts'
import type { Answer } from '../../../platform/http/answer.ts'
import { html } from '../../../service/pages/html.ts'
import { button } from '../components/button.ts'
import { field, hidden } from '../components/field.ts'
import { form } from '../components/form.ts'
import { noState, type PageFormState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { type PageRequest, pathTo } from '../page-request.ts'

/** Presents the secret of an authenticator app, once, and the form for its first code. */
export function presentTotpEnrollment(
  page: PageRequest,
  { id, totp }: Pick<EnrolledFactor, 'id' | 'totp'>,
  state: PageFormState = noState,
): Answer {
  const { text } = page
  const path = '/account/security'
  return presentPage(
    page,
    {
      heading: text('security.totpHeading'),
      lead: totp ? text('security.totpLead') : text('factor.lead.totp'),
      account: 'security',
      body: [
        totp
          ? html`<div class="stack enroll">
<img class="qr" alt="${text('security.totpImage')}" width="200" height="200" src="data:image/svg+xml;base64,${Buffer.from(totp.qrCode).toString('base64')}">
<p class="hint">${text('security.totpSecret')}</p>
<p class="secret">${totp.secret.replace(/(.{4})(?=.)/g, '$1 ')}</p>
</div>`
          : html``,
        form(page, {
          path,
          action: 'totp-verify',
          body: html`${hidden('factor_id', id)}${field({
            form: 'totp',
            name: 'code',
            label: text('field.code'),
            autocomplete: 'one-time-code',
            inputMode: 'numeric',
            error: state.errors['code'],
            hasFocus: true,
            maxLength: 16,
          })}
${button(text('security.totpConfirm'))}`,
        }),
        html`<p class="foot"><a href="${pathTo(page, path)}">${text('security.back')}</a></p>`,
      ],
    },
    state,
  )
}
