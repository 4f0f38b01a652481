import { isInUse } from '../../../../accounts/users/user.ts'
import { html, type Markup } from '../../../../service/pages/html.ts'
import { dataTable } from '../../components/data-table.ts'
import { badge, mono, time, visible } from '../../components/values.ts'
import { type ConsoleRequest, done, userPath } from '../../console-request.ts'
import type { ConsoleAction } from '../../console-route.ts'
import { onOther } from './on-other.ts'
import type { UserDetail } from './read-user.ts'
import { removal } from './sessions.ts'

/** The identities, factors, passkeys and trusted devices of a user. */
export function signInMethods(
  request: ConsoleRequest,
  { user, passkeys, devices }: UserDetail,
): Markup {
  const { t } = request
  return html`<section><h2>${t('user.methods')}</h2>
${dataTable({
  caption: t('user.identities'),
  columns: [
    t('column.provider'),
    t('column.subject'),
    t('column.lastSignIn'),
    t('column.linked'),
    t('column.state'),
  ],
  rows: user.identities.map((one) => [
    one.provider,
    mono(one.subject),
    time(one.lastSignInAt),
    time(one.createdAt),
    isInUse(one) ? badge(t('state.inUse'), 'good') : badge(t('state.suspended'), 'bad'),
  ]),
  empty: t('user.noIdentity'),
})}
${dataTable({
  caption: t('user.factors'),
  columns: [
    t('column.kind'),
    t('column.name'),
    t('column.status'),
    t('column.added'),
    t('column.action'),
  ],
  rows: user.factors.map(({ id, factorType, friendlyName, status, createdAt }) => [
    factorType,
    friendlyName && visible(friendlyName),
    t(`state.${status}`),
    time(createdAt),
    removal(request, {
      action: 'delete-factor',
      name: 'factor_id',
      id,
      label: t('user.removeFactor'),
    }),
  ]),
  empty: t('user.noFactor'),
})}
${dataTable({
  caption: t('user.passkeys'),
  columns: [t('column.name'), t('column.added'), t('column.lastUsed'), t('column.action')],
  rows: passkeys.map(({ id, friendlyName, createdAt, lastUsedAt }) => [
    friendlyName && visible(friendlyName),
    time(createdAt),
    time(lastUsedAt),
    removal(request, {
      action: 'delete-passkey',
      name: 'passkey_id',
      id,
      label: t('user.removePasskey'),
    }),
  ]),
  empty: t('user.noPasskey'),
})}
${
  devices.length > 0 &&
  dataTable({
    caption: t('user.devices'),
    columns: [
      t('column.userAgent'),
      t('column.trusted'),
      t('column.lastUsed'),
      t('column.until'),
      t('column.action'),
    ],
    rows: devices.map(({ id, userAgent, createdAt, lastUsedAt, expiresAt }) => [
      userAgent,
      time(createdAt),
      time(lastUsedAt),
      time(expiresAt),
      removal(request, {
        action: 'delete-device',
        name: 'device_id',
        id,
        label: t('user.endTrust'),
      }),
    ]),
    empty: '',
  })
}</section>`
}

const deleteFactor: ConsoleAction = async (request, form) => {
  const { admin, options, id, t } = request
  await admin.deleteFactor(id, form.get('factor_id') ?? '', options)
  return done(request, userPath(id), t('user.factorRemoved'))
}

const deletePasskey: ConsoleAction = async (request, form) => {
  const { admin, options, id, t } = request
  await admin.deletePasskey(id, form.get('passkey_id') ?? '', options)
  return done(request, userPath(id), t('user.passkeyRemoved'))
}

const deleteDevice: ConsoleAction = async (request, form) => {
  const { admin, options, id, t } = request
  await admin.deleteTrustedDevice(id, form.get('device_id') ?? '', options)
  return done(request, userPath(id), t('user.trustEnded'))
}

export const removalActions = {
  'delete-factor': onOther(deleteFactor),
  'delete-passkey': onOther(deletePasskey),
  'delete-device': onOther(deleteDevice),
}
