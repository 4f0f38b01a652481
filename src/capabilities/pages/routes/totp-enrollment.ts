import { totpQrCode } from '../../../accounts/factors/totp.ts'
import type { EnrolledFactor } from '../../../endpoints/second-factor/second-factor.endpoint.ts'
import type { Answer } from '../../../platform/http/answer.ts'
import { seal, unseal } from '../../../platform/kit/sealed-box.ts'
import { html } from '../../../service/pages/html.ts'
import { button } from '../components/button.ts'
import { field, hidden } from '../components/field.ts'
import { form } from '../components/form.ts'
import { invalidState, noState, type PageFormState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { type PageRequest, pathTo } from '../page-request.ts'

/**
 * The hidden field with the sealed secret, so that the page after a wrong code presents it again.
 */
const enrollmentField = 'enrollment'

/** The secret, and the URI of the image. */
type SealedEnrollment = Pick<NonNullable<EnrolledFactor['totp']>, 'secret' | 'uri'>

const sealedText = ({ secret, uri }: SealedEnrollment): string => JSON.stringify({ secret, uri })

/** Names the content of the box, which fits no other factor. */
const contextOf = (factorId: string): string => `pages-totp-enrollment ${factorId}`

/** Presents the secret of an authenticator app, and the form for its first code. */
export function presentTotpEnrollment(
  page: PageRequest,
  { id, totp }: Pick<EnrolledFactor, 'id' | 'totp'>,
  state: PageFormState = noState,
): Answer {
  const { text } = page
  const { roots } = page.host.deps
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
          body: html`${hidden('factor_id', id)}${
            totp && hidden(enrollmentField, seal(roots, contextOf(id), sealedText(totp)))
          }${field({
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

/** Presents the page again after a rejected code, with the error at its field. */
export async function presentRejectedTotpCode(
  page: PageRequest,
  { error, errors, values, status }: PageFormState,
): Promise<Answer> {
  const id = values['factor_id'] ?? ''
  const totp = openEnrollment(page, id, values[enrollmentField] ?? '')
  const { code = error ?? '' } = errors
  const state = invalidState('totp-verify', new URLSearchParams(), { code })
  return presentTotpEnrollment(
    page,
    { id, totp: totp && { ...totp, qrCode: await totpQrCode(totp.uri) } },
    { ...state, status },
  )
}

/** Returns the secret of a submitted form; null if the service did not seal it for this factor. */
function openEnrollment(
  { host }: PageRequest,
  factorId: string,
  box: string,
): SealedEnrollment | null {
  try {
    return JSON.parse(unseal(host.deps.roots, contextOf(factorId), box)) as SealedEnrollment
  } catch {
    return null
  }
}
