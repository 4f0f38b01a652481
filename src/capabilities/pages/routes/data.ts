import { ReadableStream } from 'node:stream/web'
import { exportOwnUser } from '../../../endpoints/admin-users/export-user.ts'
import { type DeletionProofs, findDeletionProofs } from '../../../endpoints/user/deletion-proofs.ts'
import { isEnd } from '../../../hosts/cookie-sessions/cookie-host.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { Answer } from '../../../platform/http/answer.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { requireAccount, requireToken } from '../account.ts'
import { button, linkButton } from '../components/button.ts'
import { field } from '../components/field.ts'
import { form } from '../components/form.ts'
import { noState, type PageFormState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { type PageRequest, pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'

const path = '/account/data'

/** Export and deletion of the signed-in user's data. */
export const dataRoute: PageRoute = {
  path,
  show: async (page, state) => {
    const account = await requireAccount(page, path)
    if (account instanceof Answer) return account
    const { text } = page
    const { user, sessionId } = account
    const { proofs } = await findDeletionProofs(page.ctx, { userId: user.id, sessionId })
    return presentPage(
      page,
      {
        heading: text('data.heading'),
        account: 'data',
        body: html`<section>
<h2>${text('data.export')}</h2>
<p>${text('data.exportLead')}</p>
${form(page, { path, action: 'export', isDownload: true, body: button(text('data.exportSubmit'), 'secondary') })}
</section>
${deletion(page, proofs, state)}`,
      },
      state,
    )
  },
  actions: {
    export: {
      limit: 'delete_user',
      run: async (page) => {
        const account = await requireAccount(page, path)
        if (account instanceof Answer) return account
        const parts = await exportOwnUser(page.ctx, account.user.id)
        const headers = {
          'content-type': 'application/json; charset=utf-8',
          'content-disposition': 'attachment; filename="account.json"',
        }
        return new Answer(200, headers, ReadableStream.from(encoded(parts)))
      },
    },
    code: {
      limit: 'otp',
      run: async (page) => {
        const accessToken = await requireToken(page)
        await page.host.api.reauthenticate({ accessToken }, page.options)
        page.pre.notice = 'notice.codeSent'
        return redirectTo(pathTo(page, path, { with: 'code' }))
      },
    },
    delete: {
      limit: 'delete_user',
      run: async (page, fields) => {
        const accessToken = await requireToken(page)
        const password = fields.get('password') ?? undefined
        const nonce = fields.get('nonce')?.trim()
        const proof = nonce === undefined ? { password } : { nonce }
        await page.host.api
          .deleteUser({ accessToken, ...proof }, page.options)
          .catch(throwForPassword)
        const { main } = await page.sessions()
        // The session is deleted with its user.
        await main.requireUser({ aal: 1 }).catch((error: unknown) => {
          if (!isEnd(error)) throw error
        })
        const { text } = page
        return presentPage(
          page,
          {
            heading: text('data.deletedHeading'),
            lead: text('data.deleted'),
            body: html`<div class="stack">${linkButton(text('confirm.back'), pathTo(page, '/sign-in'))}</div>`,
          },
          noState,
        )
      },
    },
  },
}

/** A wrong password concerns its field: the user of this form is known. */
function throwForPassword(error: unknown): never {
  if (error instanceof AuthError && error.code === 'invalid_credentials') {
    throw new AuthError('current_password_invalid', error.status, error.message)
  }
  throw error
}

async function* encoded(parts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield Buffer.from(part)
}

/** The form of the deletion. It requires only proofs that the user can submit. */
function deletion(page: PageRequest, proofs: DeletionProofs, state: PageFormState): Markup {
  const { text, event } = page
  const isCodeSent = proofs.nonce && event.url.searchParams.get('with') === 'code'
  const canWaitOnly = proofs.addressTooNew && !proofs.password
  const canSubmit = isCodeSent || proofs.password || !(proofs.nonce || canWaitOnly)
  return html`<section>
<h2>${text('data.delete')}</h2>
<p>${text('data.deleteLead')}</p>
${proofs.recentSignIn && html`<p class="hint">${text('data.signInAgain')}</p>`}
${canWaitOnly && html`<p class="hint">${text('error.address_too_new')}</p>`}
${
  canSubmit &&
  form(page, {
    path,
    action: 'delete',
    parameters: isCodeSent ? { with: 'code' } : {},
    body: html`${isCodeSent ? codeField(page, state) : proofs.password && passwordField(page, state)}${button(text('data.deleteSubmit'), 'danger')}`,
  })
}
${!isCodeSent && proofs.nonce && sendingCode(page, proofs)}
${proofs.password && !proofs.nonce && !proofs.addressTooNew && addressHint(page)}
</section>`
}

const codeField = ({ text }: PageRequest, { errors }: PageFormState): Markup =>
  field({
    form: 'delete',
    name: 'nonce',
    label: text('data.deleteCode'),
    autocomplete: 'one-time-code',
    inputMode: 'numeric',
    error: errors['nonce'],
  })

const passwordField = ({ text }: PageRequest, { errors }: PageFormState): Markup =>
  field({
    form: 'delete',
    name: 'password',
    label: text('field.password'),
    type: 'password',
    autocomplete: 'current-password',
    error: errors['password'],
  })

/** The form that sends the code: the only proof of a user without a password. */
const sendingCode = (page: PageRequest, { password }: DeletionProofs): Markup =>
  password
    ? form(page, { path, action: 'code', body: button(page.text('data.sendCode'), 'quiet') })
    : html`<p>${page.text('data.codeLead')}</p>
${form(page, { path, action: 'code', body: button(page.text('data.sendFirstCode'), 'secondary') })}`

/** Without a confirmed address, the user adds or confirms one on the page of the account. */
const addressHint = (page: PageRequest): Markup =>
  html`<p class="hint">${page.text('data.noAddress')} <a href="${pathTo(page, '/account')}">${page.text('data.addAddress')}</a></p>`
