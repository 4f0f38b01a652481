import { isDeepStrictEqual } from 'node:util'
import type { User } from '../../../../accounts/users/user.ts'
import { html, type Markup } from '../../../../service/pages/html.ts'
import { button } from '../../../pages/components/button.ts'
import { checkbox } from '../../../pages/components/field.ts'
import { changedFields, formFields, objectIn, textIn } from '../../components/form-fields.ts'
import { jsonText } from '../../components/values.ts'
import { actionForm, type ConsoleRequest, done, userPath } from '../../console-request.ts'
import type { ConsoleAction } from '../../console-route.ts'

const texts = ['email', 'phone', 'username', 'role'] as const
const objects = { user_metadata: 'userMetadata', app_metadata: 'appMetadata' } as const
const objectNames = Object.keys(objects) as (keyof typeof objects)[]

const storedOf = (user: User): Record<string, string> => ({
  email: user.email ?? '',
  phone: user.phone === null ? '' : `+${user.phone}`,
  username: user.username ?? '',
  role: user.role,
  user_metadata: jsonText(user.userMetadata),
  app_metadata: jsonText(user.appMetadata),
})

/** The form that changes the fields of a user. */
export function changeForm(request: ConsoleRequest, user: User): Markup | null {
  if (!request.mayChange) return null
  const { t, deps } = request
  const { text, area } = formFields(request, 'change', storedOf(user))
  return html`<section><h2>${t('user.change')}</h2><p class="detail">${t('user.changeLead')}</p>
${actionForm(request, {
  path: userPath(user.id),
  action: 'change',
  label: t('user.change'),
  className: 'stack',
  body: html`${text('email', t('field.email'))}${text('phone', t('field.phone'))}
${deps.config.usernames.enabled && text('username', t('field.username'))}${text('role', t('field.role'))}
${checkbox('change', 'confirmed', t('user.changedConfirmed'))}
${area('user_metadata', t('user.userMetadataJson'))}${area('app_metadata', t('user.appMetadataJson'))}
${button(t('form.save'), 'primary')}`,
})}</section>`
}

export const changeAction: ConsoleAction = async (request, form) => {
  const { admin, options, id, t } = request
  const changes: Record<string, unknown> = {}
  for (const name of changedFields(form, texts)) changes[name] = textIn(form, name)
  if (form.has('confirmed')) {
    if (changes['email']) changes['emailConfirm'] = true
    if (changes['phone']) changes['phoneConfirm'] = true
  }
  for (const name of changedFields(form, objectNames)) {
    const [changed, stored] = [objectIn(form, name), objectIn(form, `was_${name}`)]
    if (!changed || !stored) return { rejected: t('form.notObject', { field: name }) }
    const members = changedMembers(stored, changed)
    if (Object.keys(members).length > 0) changes[objects[name]] = members
  }
  if (Object.keys(changes).length === 0) return done(request, userPath(id), t('form.nothing'))
  await admin.updateUser(id, changes, options)
  return done(request, userPath(id), t('form.saved'))
}

/**
 * Returns the members that differ, and null for removed ones: metadata is merged. A member that the
 * operator left alone keeps a value that another request stored meanwhile.
 */
function changedMembers(
  stored: Record<string, unknown>,
  changed: Record<string, unknown>,
): Record<string, unknown> {
  const set = Object.entries(changed).filter(
    ([key, value]) => !Object.hasOwn(stored, key) || !isDeepStrictEqual(value, stored[key]),
  )
  const removed = Object.keys(stored).filter((key) => !Object.hasOwn(changed, key))
  return Object.fromEntries([...set, ...removed.map((key) => [key, null])])
}
