import type { User } from '../../../accounts/users/user.ts'
import { Answer, jsonAnswer } from '../../../platform/http/answer.ts'
import { deviceName } from '../../../platform/kit/device-name.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { type Account, requireAccount, requireToken } from '../account.ts'
import { accountNameField } from '../components/account-name-field.ts'
import { button } from '../components/button.ts'
import { field, hidden } from '../components/field.ts'
import { form } from '../components/form.ts'
import { keyForm } from '../components/key-form.ts'
import { newPasswordField } from '../components/new-password-field.ts'
import { table } from '../components/table.ts'
import { invalidState, type PageFormState } from '../form-state.ts'
import { formatDate } from '../format-date.ts'
import { presentPage } from '../layout.ts'
import { methodsOf, phoneOf } from '../methods.ts'
import { type PageRequest, pathTo, redirectTo } from '../page-request.ts'
import type { PageAction, PageRoute } from '../page-route.ts'
import { readCredential } from '../read-credential.ts'
import { presentRecoveryCodes } from './recovery-codes.ts'
import { labelOf } from './second-factor.ts'
import { presentTotpEnrollment } from './totp-enrollment.ts'

const path = '/account/security'

const done = (page: PageRequest, notice: PageRequest['pre']['notice']): Answer => {
  if (notice) page.pre.notice = notice
  return redirectTo(pathTo(page, path))
}

const actions: Record<string, PageAction> = {
  password: {
    limit: 'update_user',
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const currentPassword = fields.get('current_password') ?? undefined
      const nonce = fields.get('nonce')?.trim() || undefined
      const password = fields.get('new_password') ?? ''
      const input = { accessToken, password, currentPassword, nonce }
      await page.host.api.updateUser(input, page.options)
      return done(page, 'notice.passwordChanged')
    },
  },
  nonce: {
    limit: 'otp',
    run: async (page) => {
      const accessToken = await requireToken(page)
      await page.host.api.reauthenticate({ accessToken }, page.options)
      return done(page, 'notice.codeSent')
    },
  },
  totp: {
    limit: 'factor_enroll',
    run: async (page) => {
      const account = await requireAccount(page, path)
      if (account instanceof Answer) return account
      const { api } = page.host
      const { accessToken, user } = account
      const unused = user.factors.find(
        ({ factorType, status }) => factorType === 'totp' && status === 'unverified',
      )
      if (unused) {
        await api.unenrollFactor({ accessToken, factorId: unused.id }, page.options)
      }
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
      return done(page, 'notice.factorAdded')
    },
  },
  // Phone and email: the factor is enrolled, a code is sent, and the code is verified.
  sent: {
    limit: 'factor_enroll',
    run: async (page, fields) => {
      const account = await requireAccount(page, path)
      if (account instanceof Answer) return account
      const { accessToken, user } = account
      const { api } = page.host
      const isPhone = fields.get('factor_type') === 'phone'
      const factorType = isPhone ? ('phone' as const) : ('email' as const)
      const unused = user.factors.find(
        (one) => one.factorType === factorType && one.status === 'unverified',
      )
      if (unused) await api.unenrollFactor({ accessToken, factorId: unused.id }, page.options)
      const enrolled = await api.enrollFactor(
        {
          accessToken,
          factorType,
          friendlyName: newName(page, user, factorType),
          ...(isPhone && { phone: phoneOf(fields.get('phone') ?? '') }),
        },
        page.options,
      )
      const factorId = enrolled.id
      const challenge = await api.challengeFactor({ accessToken, factorId }, page.options)
      page.pre.challenge = { id: challenge.id, factorId }
      return done(page, 'notice.codeSent')
    },
  },
  'sent-verify': {
    limit: 'factor_verify',
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const { id: challengeId = '', factorId = '' } = page.pre.challenge ?? {}
      const code = (fields.get('code') ?? '').replace(/\s/g, '')
      const input = { accessToken, factorId, challengeId, code }
      const { session } = await page.host.api.verifyFactor(input, page.options)
      delete page.pre.challenge
      await (await page.sessions()).main.keep(session)
      return done(page, 'notice.factorAdded')
    },
  },
  'key-options': {
    limit: 'factor_enroll',
    isScript: true,
    run: async (page) => {
      const accessToken = await requireToken(page)
      const { api } = page.host
      const user = await api.getUser({ accessToken }, page.options)
      const friendlyName = newName(page, user, 'webauthn')
      const unused = user.factors.find(
        (one) => one.factorType === 'webauthn' && one.status === 'unverified',
      )
      if (unused) await api.unenrollFactor({ accessToken, factorId: unused.id }, page.options)
      const factor = await api.enrollFactor(
        { accessToken, factorType: 'webauthn', friendlyName },
        page.options,
      )
      const factorId = factor.id
      const challenge = await api.challengeFactor({ accessToken, factorId }, page.options)
      page.pre.challenge = { id: challenge.id, factorId }
      return jsonAnswer(200, { challengeId: challenge.id, ...challenge.webAuthn })
    },
  },
  key: {
    limit: 'factor_verify',
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const { challengeId, credential } = readCredential(fields)
      const { factorId = '' } = page.pre.challenge ?? {}
      const webAuthn = { type: 'create' as const, credential }
      const input = { accessToken, factorId, challengeId, webAuthn }
      const { session } = await page.host.api.verifyFactor(input, page.options)
      delete page.pre.challenge
      await (await page.sessions()).main.keep(session)
      return done(page, 'notice.factorAdded')
    },
  },
  remove: {
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const factorId = fields.get('factor_id') ?? ''
      await page.host.api.unenrollFactor({ accessToken, factorId }, page.options)
      await renewed(page)
      return done(page, 'notice.removed')
    },
  },
  codes: {
    limit: 'factor_enroll',
    run: async (page) => {
      const account = await requireAccount(page, path)
      if (account instanceof Answer) return account
      const { accessToken, user } = account
      const { api } = page.host
      const has = user.factors.some(({ factorType }) => factorType === 'recovery_code')
      const { codes } = has
        ? await api.regenerateRecoveryCodes({ accessToken }, page.options)
        : await api.generateRecoveryCodes({ accessToken }, page.options)
      return presentRecoveryCodes(page, codes)
    },
  },
  'remove-codes': {
    run: async (page) => {
      const accessToken = await requireToken(page)
      await page.host.api.unenrollRecoveryCodes({ accessToken }, page.options)
      return done(page, 'notice.removed')
    },
  },
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
  'remove-device': {
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const deviceId = fields.get('device_id') ?? ''
      await page.host.api.deleteTrustedDevice({ accessToken, deviceId }, page.options)
      return done(page, 'notice.removed')
    },
  },
}

/** Password, second factors, recovery codes, passkeys and trusted devices of the signed-in user. */
export const securityRoute: PageRoute = {
  path,
  show: async (page, state) => {
    if (state.action === 'totp-verify') {
      const { code = state.error ?? '' } = state.errors
      const id = state.values['factor_id'] ?? ''
      return presentTotpEnrollment(page, { id, totp: null }, invalid(code, state))
    }
    const account = await requireAccount(page, path)
    if (account instanceof Answer) return account
    const { text } = page
    return presentPage(
      page,
      {
        heading: text('security.heading'),
        account: 'security',
        body: [
          passwordSection(page, account, state),
          await factorSection(page, account, state),
          await codeSection(page, account),
          await passkeySection(page, account),
          await deviceSection(page, account),
        ],
      },
      state,
    )
  },
  actions,
}

const invalid = (code: string, { status }: PageFormState): PageFormState => ({
  ...invalidState('totp-verify', new URLSearchParams(), { code }),
  status,
})

/** Renews the session, whose assurance level may have changed with the factors. */
async function renewed(page: PageRequest): Promise<void> {
  const { main } = await page.sessions()
  await main.requireUser()
}

/** Returns a name that no other factor of the user has. */
function newName(
  { text }: PageRequest,
  { factors }: User,
  type: 'totp' | 'phone' | 'email' | 'webauthn',
): string {
  const names = new Set(factors.map(({ friendlyName }) => friendlyName))
  const name = text(`factor.${type}`)
  let number = 1
  const numbered = () => (number === 1 ? name : `${name} ${number}`)
  while (names.has(numbered())) number += 1
  return numbered()
}

const errorsOf = (state: PageFormState, action: string) =>
  state.action === action ? state.errors : {}

function passwordSection(
  page: PageRequest,
  { user }: Account,
  state: PageFormState,
): Markup | null {
  const { text, host } = page
  if (!methodsOf(host).password) return null
  const { requireCurrentPassword, requireReauthentication } =
    host.deps.config.security.passwordUpdate
  const errors = errorsOf(state, 'password')
  return html`<section>
<h2>${text('security.password')}</h2>
<p>${text('security.passwordLead')}</p>
${
  requireReauthentication &&
  form(page, { path, action: 'nonce', body: button(text('security.sendNonce'), 'secondary') })
}
${form(page, {
  path,
  action: 'password',
  label: text('security.password'),
  body: html`${accountNameField(user)}
${
  requireCurrentPassword &&
  field({
    form: 'password',
    name: 'current_password',
    label: text('field.currentPassword'),
    type: 'password',
    autocomplete: 'current-password',
    error: errors['current_password'],
    isOptional: true,
  })
}
${
  requireReauthentication &&
  field({
    form: 'password',
    name: 'nonce',
    label: text('security.passwordNonce'),
    autocomplete: 'one-time-code',
    inputMode: 'numeric',
    error: errors['nonce'],
  })
}
${newPasswordField(page, {
  form: 'password',
  name: 'new_password',
  error: errors['new_password'],
  label: text('field.newPassword'),
})}
${button(text('security.changePassword'), 'secondary')}`,
})}
</section>`
}

async function factorSection(
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
          actions: form(page, {
            path,
            action: 'remove',
            body: html`${hidden('factor_id', factor.id)}${button(text('security.remove'), 'secondary')}`,
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

async function codeSection(
  page: PageRequest,
  { user, accessToken }: Account,
): Promise<Markup | null> {
  const { text, host } = page
  const { recoveryCodes } = host.deps.config.mfa
  const has = user.factors.some(({ factorType }) => factorType === 'recovery_code')
  const hasOther = user.factors.some(
    ({ factorType, status }) => factorType !== 'recovery_code' && status === 'verified',
  )
  if (!has && !(recoveryCodes.enrollEnabled && hasOther)) return null
  const status = has ? await host.api.getRecoveryCodes({ accessToken }, page.options) : null
  return html`<section>
<h2>${text('security.codes')}</h2>
<p>${text('security.codesLead')}</p>
${status && html`<p>${text('security.codesLeft', { count: status.remaining })}</p>`}
${form(page, { path, action: 'codes', body: button(text(has ? 'security.replaceCodes' : 'security.createCodes'), 'secondary') })}
${has && form(page, { path, action: 'remove-codes', body: button(text('security.remove'), 'quiet') })}
</section>`
}

async function passkeySection(page: PageRequest, { accessToken }: Account): Promise<Markup | null> {
  const { text, host } = page
  if (!methodsOf(host).passkey) return null
  const passkeys = await host.api.listPasskeys({ accessToken }, page.options)
  return html`<section>
<h2>${text('security.passkeys')}</h2>
<p>${text('security.passkeysLead')}</p>
${
  passkeys.length === 0
    ? html`<p class="empty">${text('security.noPasskeys')}</p>`
    : table(
        text('security.passkeys'),
        passkeys.map(({ id, friendlyName, createdAt, lastUsedAt }) => ({
          title: friendlyName,
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
              value: friendlyName,
              maxLength: 60,
            })}${button(text('account.save'), 'secondary')}`,
          })}</details>${form(page, {
            path,
            action: 'remove-passkey',
            body: html`${hidden('passkey_id', id)}${button(text('security.remove'), 'secondary')}`,
          })}`,
        })),
      )
}
${keyForm(page, { path, options: 'passkey-options', action: 'passkey', label: text('security.addPasskey') })}
<noscript><p class="hint">${text('security.passkeyScript')}</p></noscript>
</section>`
}

async function deviceSection(page: PageRequest, { accessToken }: Account): Promise<Markup | null> {
  const { text, host } = page
  if (!host.deps.config.mfa.trustedDevices.enabled) return null
  const devices = await host.api.listTrustedDevices({ accessToken }, page.options)
  return html`<section>
<h2>${text('security.devices')}</h2>
<p>${text('security.devicesLead')}</p>
${
  devices.length === 0
    ? html`<p class="empty">${text('security.noDevices')}</p>`
    : table(
        text('security.devices'),
        devices.map(({ id, userAgent, lastUsedAt, expiresAt }) => ({
          title: deviceName(userAgent) ?? text('security.device'),
          details: [
            text('security.lastUsed', { date: formatDate(page, lastUsedAt) }),
            text('security.trustedUntil', { date: formatDate(page, expiresAt) }),
          ],
          actions: form(page, {
            path,
            action: 'remove-device',
            body: html`${hidden('device_id', id)}${button(text('security.remove'), 'secondary')}`,
          }),
        })),
      )
}
</section>`
}
