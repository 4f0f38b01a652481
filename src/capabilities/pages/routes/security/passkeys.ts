import { firstPasskeyName } from '../../../../endpoints/passkeys/register-passkey.ts'
import { jsonAnswer } from '../../../../platform/http/answer.ts'
import { html, type Markup } from '../../../../service/pages/html.ts'
import { type Account, requireToken } from '../../account.ts'
import { button } from '../../components/button.ts'
import { field, hidden } from '../../components/field.ts'
import { form } from '../../components/form.ts'
import { keyForm } from '../../components/key-form.ts'
import { removal } from '../../components/removal.ts'
import { table } from '../../components/table.ts'
import { formatDate } from '../../format-date.ts'
import { changeableMethodsOf, methodsOf } from '../../methods.ts'
import type { PageRequest } from '../../page-request.ts'
import type { PageAction } from '../../page-route.ts'
import { readCredential } from '../../read-submitted-credential.ts'
import { done, path } from './shared.ts'

export const passkeyActions: Record<string, PageAction> = {
  'passkey-options': {
    limit: 'passkey_options',
    isScript: true,
    run: async (page) => {
      const accessToken = await requireToken(page)
      const started = await page.host.api.startPasskeyRegistration({ accessToken }, page.options)
      const { challengeId, options } = started
      return jsonAnswer(200, { type: 'create', challengeId, options })
    },
  },
  passkey: {
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const input = { accessToken, ...readCredential(fields) }
      await page.host.api.verifyPasskeyRegistration(input, page.options)
      return done(page, 'notice.passkeyAdded')
    },
  },
  'rename-passkey': {
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const friendlyName = (fields.get('name') ?? '').trim()
      const passkeyId = fields.get('passkey_id') ?? ''
      await page.host.api.updatePasskey({ accessToken, passkeyId, friendlyName }, page.options)
      return done(page, 'notice.saved')
    },
  },
  'remove-passkey': {
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const passkeyId = fields.get('passkey_id') ?? ''
      await page.host.api.deletePasskey({ accessToken, passkeyId }, page.options)
      return done(page, 'notice.removed')
    },
  },
}

export async function passkeySection(
  page: PageRequest,
  { accessToken, user }: Account,
): Promise<Markup | null> {
  const { text, host } = page
  if (!methodsOf(host).passkey) return null
  const nameOf = (name: string) => (name === firstPasskeyName ? text('security.passkey') : name)
  const passkeys = await host.api.listPasskeys({ accessToken }, page.options)
  const mayAdd = changeableMethodsOf(host, user).passkey
  if (!mayAdd && passkeys.length === 0) return null
  return html`<section>
<h2>${text('security.passkeys')}</h2>
<p>${text('security.passkeysLead')}</p>
${
  passkeys.length === 0
    ? html`<p class="empty">${text('security.noPasskeys')}</p>`
    : table(
        text('security.passkeys'),
        passkeys.map(({ id, friendlyName, createdAt, lastUsedAt }) => ({
          title: nameOf(friendlyName),
          details: [
            text('security.added', { date: formatDate(page, createdAt) }),
            lastUsedAt && text('security.lastUsed', { date: formatDate(page, lastUsedAt) }),
          ],
          actions: html`<details><summary>${text('security.rename')}</summary>${form(page, {
            path,
            action: 'rename-passkey',
            body: html`${hidden('passkey_id', id)}${field({
              form: `passkey-${id}`,
              name: 'name',
              label: text('field.name'),
              value: nameOf(friendlyName),
              maxLength: 60,
            })}${button(text('account.save'), 'secondary')}`,
          })}</details>${removal(page, {
            path,
            action: 'remove-passkey',
            field: { name: 'passkey_id', value: id },
            label: text('security.remove'),
            effect: text('security.removePasskey'),
          })}`,
        })),
      )
}
${
  mayAdd &&
  html`${keyForm(page, {
    path,
    options: 'passkey-options',
    action: 'passkey',
    label: text('security.addPasskey'),
    exists: text('security.passkeyExists'),
  })}
<noscript><p class="hint">${text('security.passkeyScript')}</p></noscript>`
}
</section>`
}
