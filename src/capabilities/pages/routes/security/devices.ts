import { loadDeviceNames } from '../../../../platform/kit/device-name.ts'
import { html, type Markup } from '../../../../service/pages/html.ts'
import { type Account, requireToken } from '../../account.ts'
import { removal } from '../../components/removal.ts'
import { table } from '../../components/table.ts'
import { deviceTitle } from '../../device-title.ts'
import { formatDate } from '../../format-date.ts'
import type { PageRequest } from '../../page-request.ts'
import type { PageAction } from '../../page-route.ts'
import { done, path } from './shared.ts'

/** Trusted devices. */
export const deviceActions: Record<string, PageAction> = {
  'remove-device': {
    run: async (page, fields) => {
      const accessToken = await requireToken(page)
      const deviceId = fields.get('device_id') ?? ''
      await page.host.api.deleteTrustedDevice({ accessToken, deviceId }, page.options)
      return done(page, 'notice.removed')
    },
  },
}

export async function deviceSection(
  page: PageRequest,
  { accessToken }: Account,
): Promise<Markup | null> {
  const { text, host } = page
  if (!host.deps.config.mfa.trustedDevices.enabled) return null
  const devices = await host.api.listTrustedDevices({ accessToken }, page.options)
  const deviceName = await loadDeviceNames()
  return html`<section>
<h2>${text('security.devices')}</h2>
<p>${text('security.devicesLead')}</p>
${
  devices.length === 0
    ? html`<p class="empty">${text('security.noDevices')}</p>`
    : table(
        text('security.devices'),
        devices.map(({ id, userAgent, lastUsedAt, expiresAt }) => ({
          title: deviceTitle(page, deviceName(userAgent)),
          details: [
            text('security.lastUsed', { date: formatDate(page, lastUsedAt) }),
            text('security.trustedUntil', { date: formatDate(page, expiresAt) }),
          ],
          actions: removal(page, {
            path,
            action: 'remove-device',
            field: { name: 'device_id', value: id },
            label: text('security.remove'),
            effect: text('security.removeDevice'),
          }),
        })),
      )
}
</section>`
}
