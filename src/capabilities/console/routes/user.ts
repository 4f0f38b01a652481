import { recordAlone } from '../../../accounts/acts/record-act.ts'
import { isBanned, isInUse, type User } from '../../../accounts/users/user.ts'
import { generatedLinkTypes } from '../../../endpoints/generate-link/generate-link.endpoint.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import type { Answer } from '../../../platform/http/answer.ts'
import { isRecord } from '../../../platform/kit/is-record.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { button, linkButton } from '../../pages/components/button.ts'
import { checkbox, field, hidden } from '../../pages/components/field.ts'
import { confirmationField, dangerZone, requireConfirmation } from '../components/confirmation.ts'
import { dataTable, facts } from '../components/data-table.ts'
import { selectField } from '../components/filters.ts'
import { badge, json, mono, time } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import { actionForm, type ConsoleRequest, consolePath, done } from '../console-request.ts'
import type { ConsoleAction, ConsoleRoute } from '../console-route.ts'
import { download } from '../download.ts'
import { auditTable } from './audit.ts'
import { nameOf, statusOf } from './users.ts'

const pathOf = (id: string): string => `/console/users/${id}`

/** The number of audit entries on the page; the audit log has the others. */
const shownEntries = 10

/** One user with everything that is stored about the account, and the acts of operators. */
export const userRoute: ConsoleRoute = {
  path: '/console/users/:id',
  show: async (request) => presentUser(request, await read(request)),
  actions: {
    change: onOther(async (request, form) => {
      const { admin, options, id } = request
      const changes = changesIn(form)
      if (Object.keys(changes).length === 0)
        return done(request, pathOf(id), 'Nothing was changed.')
      await admin.updateUser(id, changes, options)
      return done(request, pathOf(id), 'The changes were saved.')
    }),
    password: onOther(async (request, form) => {
      const { admin, options, id } = request
      await admin.updateUser(id, { password: form.get('password') ?? '' }, options)
      return done(request, pathOf(id), 'The password was set. All sessions of the user ended.')
    }),
    ban: onOther(async (request, form) => {
      const { admin, options, id } = request
      const reason = (form.get('reason') ?? '').trim()
      if (reason === '') throw validationFailed('reason: is required')
      const duration = (form.get('duration') ?? '').trim()
      await admin.banUser(id, { reason, ...(duration !== '' && { duration }) }, options)
      return done(request, pathOf(id), 'The user was banned.')
    }),
    unban: onOther(async (request) => {
      await request.admin.unbanUser(request.id, request.options)
      return done(request, pathOf(request.id), 'The ban was lifted.')
    }),
    'sign-out': onOther(async (request) => {
      await request.admin.signOut(request.id, request.options)
      return done(request, pathOf(request.id), 'All sessions of the user ended.')
    }),
    'end-session': onOther(async (request, form) => {
      const { admin, options, id } = request
      await admin.revokeSession(id, form.get('session_id') ?? '', options)
      return done(request, pathOf(id), 'The session ended.')
    }),
    'delete-factor': onOther(async (request, form) => {
      const { admin, options, id } = request
      await admin.deleteFactor(id, form.get('factor_id') ?? '', options)
      return done(request, pathOf(id), 'The factor was removed.')
    }),
    'delete-passkey': onOther(async (request, form) => {
      const { admin, options, id } = request
      await admin.deletePasskey(id, form.get('passkey_id') ?? '', options)
      return done(request, pathOf(id), 'The passkey was removed.')
    }),
    'delete-device': onOther(async (request, form) => {
      const { admin, options, id } = request
      await admin.deleteTrustedDevice(id, form.get('device_id') ?? '', options)
      return done(request, pathOf(id), 'The device is no longer trusted.')
    }),
    link: onOther(async (request, form) => {
      const { admin, options, id } = request
      const { email } = await admin.getUser(id, options)
      if (email === null) throw validationFailed('email: the user has none')
      const type = generatedLinkTypes.find((one) => one === form.get('type'))
      if (!type) throw validationFailed('type: has to be one of the list')
      const newEmail = (form.get('new_email') ?? '').trim()
      const input = { type, email, ...(newEmail !== '' && { newEmail }) }
      const { actionLink, emailOtp } = await admin.generateLink(input, options)
      return presentConsole(request, {
        entry: 'users',
        heading: 'Generated link',
        lead: `Any party that has it can sign in as ${email}. It is shown once.`,
        trail: trailOf(request, email),
        body: html`<section>${facts({ Link: mono(actionLink), Code: mono(emailOtp) })}</section>`,
      })
    }),
    export: async (request) => {
      const { admin, options, id, page } = request
      const parts = await admin.exportUser(id, options)
      await recordAlone(page.ctx, {
        action: 'user_exported',
        actorId: request.user.id,
        actorRole: request.user.role,
        userId: id,
      })
      return download('application/json', `user-${id}.json`, parts)
    },
    erase: onOther(async (request, form) => {
      const { admin, options, id } = request
      const user = await admin.getUser(id, options)
      requireConfirmation(form, nameOf(user))
      await admin.eraseUser(id, options)
      return done(request, '/console/users', 'All personal data of the user was erased.')
    }),
  },
}

/**
 * Returns an action that rejects the operator's own account. Its credentials require a recent
 * proof, which the account pages check.
 */
function onOther(run: ConsoleAction): ConsoleAction {
  return async (request, form) => {
    if (request.id.toLowerCase() !== request.user.id) return run(request, form)
    throw new AuthError('validation_failed', 400, 'Change your own account on the account pages.')
  }
}

async function read(request: ConsoleRequest) {
  const { admin, options, id, deps } = request
  const user = await admin.getUser(id, options)
  const { sessions, passkeys } = await allOf({
    sessions: admin.listSessions(id, {}, options),
    passkeys: admin.listPasskeys(id, options),
  })
  const { by, about, devices } = await allOf({
    by: admin.listAudit({ actorId: id, limit: shownEntries }, options),
    about: admin.listAudit({ userId: id, limit: shownEntries }, options),
    devices: deps.config.mfa.trustedDevices.enabled ? admin.listTrustedDevices(id, options) : [],
  })
  return { user, sessions, passkeys, devices, by: by.entries, about: about.entries }
}

/** Awaits several values. */
async function allOf<T extends Record<string, unknown>>(
  given: T,
): Promise<{ [Name in keyof T]: Awaited<T[Name]> }> {
  const entries = Object.entries(given).map(async ([name, value]) => [name, await value] as const)
  return Object.fromEntries(await Promise.all(entries)) as { [Name in keyof T]: Awaited<T[Name]> }
}

type Detail = Awaited<ReturnType<typeof read>>

const trailOf = ({ id }: ConsoleRequest, name: string) => [
  { label: 'Users', path: '/console/users' },
  { label: name, path: pathOf(id) },
]

function presentUser(request: ConsoleRequest, detail: Detail): Answer {
  const { user } = detail
  const name = nameOf(user)
  return presentConsole(request, {
    entry: 'users',
    heading: name,
    trail: trailOf(request, name).slice(0, 1),
    lead: statusOf(user, request.deps.clock.now()),
    body: [
      profile(user),
      metadata(user),
      sessionsOf(request, detail),
      credentials(request, detail),
      history(request, detail),
      changeForm(request, user),
      acts(request, user),
      erasure(request, user),
    ],
  })
}

const profile = (user: User): Markup => html`<section><h2>Account</h2>
${facts({
  Id: mono(user.id),
  Email: user.email && html`${user.email} ${confirmed(user.emailConfirmedAt)}`,
  Phone: user.phone && html`+${user.phone} ${confirmed(user.phoneConfirmedAt)}`,
  'User name': user.username,
  Role: user.role,
  Audience: user.audience,
  Created: time(user.createdAt),
  Changed: time(user.updatedAt),
  'Last sign-in': time(user.lastSignInAt),
  Invited: time(user.invitedAt),
  'Banned until': time(user.bannedUntil),
  Deleted: time(user.deletedAt),
  'Pending email': user.newEmail,
  'Pending phone': user.newPhone && `+${user.newPhone}`,
})}</section>`

const confirmed = (at: Date | null): Markup =>
  at === null ? badge('Unconfirmed') : html`${badge('Confirmed', 'good')} ${time(at)}`

const metadata = ({ userMetadata, appMetadata }: User): Markup => html`<section><h2>Metadata</h2>
<h3>User</h3>${json(userMetadata)}
<h3>Application</h3>${json(appMetadata)}</section>`

function sessionsOf(request: ConsoleRequest, { user, sessions }: Detail): Markup {
  return html`<section><h2>Sessions</h2>
${dataTable({
  caption: 'Live sessions, the last used first',
  columns: ['Device', 'Level', 'Address', 'Opened', 'Last used', 'Action'],
  rows: sessions.map(({ id, device, aal, ip, createdAt, lastUsedAt }) => [
    device ?? 'Unknown device',
    aal,
    ip,
    time(createdAt),
    time(lastUsedAt),
    remove(request, { action: 'end-session', name: 'session_id', id, label: 'End session' }),
  ]),
  empty: 'No live session.',
})}
${
  sessions.length > 0 &&
  actionForm(request, {
    path: pathOf(user.id),
    action: 'sign-out',
    body: button(`End all sessions of ${nameOf(user)}`, 'danger'),
  })
}</section>`
}

const remove = (
  request: ConsoleRequest,
  { action, name, id, label }: { action: string; name: string; id: string; label: string },
): Markup | null =>
  actionForm(request, {
    path: pathOf(request.id),
    action,
    body: html`${hidden(name, id)}${button(label, 'danger')}`,
  })

function credentials(request: ConsoleRequest, { user, passkeys, devices }: Detail): Markup {
  return html`<section><h2>Sign-in methods</h2>
${dataTable({
  caption: 'Identities',
  columns: ['Provider', 'Subject', 'Last sign-in', 'Linked', 'State'],
  rows: user.identities.map((one) => [
    one.provider,
    mono(one.subject),
    time(one.lastSignInAt),
    time(one.createdAt),
    isInUse(one) ? badge('In use', 'good') : badge('Suspended', 'bad'),
  ]),
  empty: 'No identity.',
})}
${dataTable({
  caption: 'Second factors',
  columns: ['Kind', 'Name', 'Status', 'Added', 'Action'],
  rows: user.factors.map(({ id, factorType, friendlyName, status, createdAt }) => [
    factorType,
    friendlyName,
    status,
    time(createdAt),
    remove(request, { action: 'delete-factor', name: 'factor_id', id, label: 'Remove factor' }),
  ]),
  empty: 'No second factor.',
})}
${dataTable({
  caption: 'Passkeys',
  columns: ['Name', 'Added', 'Last used', 'Action'],
  rows: passkeys.map(({ id, friendlyName, createdAt, lastUsedAt }) => [
    friendlyName,
    time(createdAt),
    time(lastUsedAt),
    remove(request, { action: 'delete-passkey', name: 'passkey_id', id, label: 'Remove passkey' }),
  ]),
  empty: 'No passkey.',
})}
${
  devices.length > 0 &&
  dataTable({
    caption: 'Trusted devices',
    columns: ['User agent', 'Trusted', 'Last used', 'Until', 'Action'],
    rows: devices.map(({ id, userAgent, createdAt, lastUsedAt, expiresAt }) => [
      userAgent,
      time(createdAt),
      time(lastUsedAt),
      time(expiresAt),
      remove(request, { action: 'delete-device', name: 'device_id', id, label: 'End trust' }),
    ]),
    empty: '',
  })
}</section>`
}

function history(request: ConsoleRequest, { user, by, about }: Detail): Markup {
  const { id } = user
  const audit = (name: 'actor' | 'user') => consolePath(request, '/console/audit', { [name]: id })
  return html`<section><h2>Audit log</h2>
${auditTable(request, 'Acts on this user', about)}
${auditTable(request, 'Acts of this user', by)}
<p><a href="${audit('user')}">All acts on this user</a> · <a href="${audit('actor')}">All acts of this user</a> ·
<a href="${consolePath(request, '/console/decisions', { user: id })}">Decisions about this user</a></p></section>`
}

/** The fields of the form that changes a user. Only those that differ from `was_…` are saved. */
const changedTexts = ['email', 'phone', 'username', 'role'] as const
const changedObjects = { user_metadata: 'userMetadata', app_metadata: 'appMetadata' } as const

function changeForm(request: ConsoleRequest, user: User): Markup | null {
  if (!request.mayChange) return null
  const { values, action } = request.state
  const stored: Record<string, string> = {
    email: user.email ?? '',
    phone: user.phone === null ? '' : `+${user.phone}`,
    username: user.username ?? '',
    role: user.role,
    user_metadata: JSON.stringify(user.userMetadata, null, 2),
    app_metadata: JSON.stringify(user.appMetadata, null, 2),
  }
  const value = (name: string) => (action === 'change' && values[name]) || stored[name] || ''
  const was = (name: string) =>
    hidden(`was_${name}`, (action === 'change' && values[`was_${name}`]) || stored[name] || '')
  const one = (name: string, label: string) =>
    html`${was(name)}${field({ form: 'change', name, label, value: value(name), isOptional: true, maxLength: 320 })}`
  const area = (name: string, label: string) =>
    html`${was(name)}<div class="field"><div class="label"><label for="change-${name}">${label}</label></div>
<textarea id="change-${name}" name="${name}" spellcheck="false">${value(name)}</textarea></div>`
  return html`<section><h2>Change</h2><p>Addresses change at once, and no message is sent.</p>
${actionForm(request, {
  path: pathOf(user.id),
  action: 'change',
  label: 'Change the user',
  className: 'stack',
  body: html`${one('email', 'Email')}${one('phone', 'Phone')}
${request.deps.config.usernames.enabled && one('username', 'User name')}${one('role', 'Role')}
${checkbox('change', 'confirmed', 'Changed addresses are confirmed')}
${area('user_metadata', 'User metadata (JSON)')}${area('app_metadata', 'Application metadata (JSON)')}
${button('Save changes', 'primary')}`,
})}</section>`
}

/**
 * Returns the changes that the operator made. Another operator may have changed other fields
 * meanwhile; these stay.
 *
 * @throws AuthError `validation_failed` for metadata that is no object in JSON.
 */
function changesIn(form: URLSearchParams): Record<string, unknown> {
  const changes: Record<string, unknown> = {}
  for (const name of changedTexts) {
    const text = form.get(name)?.trim()
    if (text !== undefined && text !== (form.get(`was_${name}`) ?? '')) changes[name] = text
  }
  if (form.has('confirmed')) {
    if (changes['email']) changes['emailConfirm'] = true
    if (changes['phone']) changes['phoneConfirm'] = true
  }
  for (const [name, member] of Object.entries(changedObjects)) {
    const [text = '{}', was = '{}'] = [form.get(name), form.get(`was_${name}`)].map(
      (one) => one?.replaceAll('\r\n', '\n') ?? undefined,
    )
    if (text === was) continue
    const [changed, stored] = [readObject(name, text), readObject(name, was)]
    const removed = Object.keys(stored).filter((key) => !Object.hasOwn(changed, key))
    changes[member] = { ...changed, ...Object.fromEntries(removed.map((key) => [key, null])) }
  }
  return changes
}

function readObject(name: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // Rejected below.
  }
  throw validationFailed(`${name}: has to be an object in JSON`)
}

function acts(request: ConsoleRequest, user: User): Markup | null {
  if (!request.mayChange) return null
  const path = pathOf(user.id)
  const name = nameOf(user)
  const { values, action } = request.state
  const typed = (field: string) => (action === 'ban' ? values[field] : undefined)
  const banForm = actionForm(request, {
    path,
    action: 'ban',
    label: 'Ban the user',
    body: html`${field({ form: 'ban', name: 'reason', label: 'Reason', value: typed('reason'), hint: 'For the audit log.', maxLength: 500 })}
${field({ form: 'ban', name: 'duration', label: 'Duration', value: typed('duration'), hint: 'Such as 24h. Empty: permanent.', isOptional: true, maxLength: 40 })}
${button(`Ban ${name}`, 'danger')}`,
  })
  const unbanForm = actionForm(request, {
    path,
    action: 'unban',
    body: button(`Lift the ban of ${name}`, 'secondary'),
  })
  return html`<section><h2>Ban</h2>
<p>A banned user cannot sign in or renew a session. Sessions are kept, pending changes of address are cancelled.</p>
${isBanned(user, request.deps.clock.now()) ? unbanForm : banForm}</section>
<section><h2>Password</h2><p>A new password ends all sessions of the user.</p>
${actionForm(request, {
  path,
  action: 'password',
  label: 'Set a password',
  body: html`${field({ form: 'password', name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password' })}${button('Set password', 'danger')}`,
})}</section>
${user.email !== null && linkForm(request, path)}`
}

const linkForm = (request: ConsoleRequest, path: string): Markup => html`<section><h2>Link</h2>
<p>Generates a link like that of a mail. No message is sent.</p>
${actionForm(request, {
  path,
  action: 'link',
  label: 'Generate a link',
  body: html`${selectField({
    form: 'link',
    name: 'type',
    label: 'Kind',
    value: 'magiclink',
    choices: generatedLinkTypes.map((type) => [type, type]),
  })}
${field({ form: 'link', name: 'new_email', label: 'New email', hint: 'For a change of email.', isOptional: true, maxLength: 320 })}
${button('Generate link', 'secondary')}`,
})}</section>`

function erasure(request: ConsoleRequest, user: User): Markup | null {
  if (!request.mayChange) return null
  const path = pathOf(user.id)
  const name = nameOf(user)
  return html`<section><h2>Export</h2><p>All stored data of the user as JSON.</p>
${actionForm(request, { path, action: 'export', body: button('Export', 'secondary') })}
${user.id === request.user.id && linkButton('Your own account', consolePath(request, '/account'), 'quiet')}</section>
${dangerZone(
  'Erase',
  html`<p>Erases the account and all personal data of the user. The audit log keeps actions and times without the user. This cannot be undone.</p>
${actionForm(request, {
  path,
  action: 'erase',
  label: 'Erase the user',
  body: html`${confirmationField('erase', name)}${button(`Erase ${name}`, 'danger')}`,
})}`,
)}`
}
