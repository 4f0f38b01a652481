import {
  findAllSigningKeys,
  type SigningKeyRow,
} from '../../../credentials/access-tokens/signing-keys.sql.ts'
import { rotateSigningKey } from '../../../endpoints/admin-signing-keys/change-signing-keys.ts'
import type { Config } from '../../../platform/config/config.ts'
import { openCall } from '../../../service/api/call-options.ts'
import { html } from '../../../service/pages/html.ts'
import { button } from '../../pages/components/button.ts'
import { dataTable } from '../components/data-table.ts'
import { badge, count, mono, time } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import { actionForm, done } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'

const path = '/console/keys'

/** The generated signing keys of access tokens. */
export const keysRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    const { deps, settings, t } = request
    const { config, clock } = deps
    const configured = configuredSetting(config)
    const now = clock.now()
    const keys = await findAllSigningKeys(deps.database.sql)
    const signing = keys.find((key) => key.retired_at === null && new Date(key.signs_from) <= now)
    const seconds = count(request, config.jwt.rotation.overlapSeconds)
    return presentConsole(request, {
      entry: 'keys',
      heading: t('nav.keys'),
      lead:
        configured === null
          ? t('keys.lead')
          : t('keys.configured', { setting: settings.nameOf(configured) }),
      body: html`<section>
${dataTable({
  caption: t('keys.caption'),
  columns: [
    t('field.id'),
    t('keys.algorithm'),
    t('column.state'),
    t('keys.signsFrom'),
    t('column.created'),
    t('keys.retired'),
  ],
  rows: keys.map((key) => [
    mono(key.id),
    key.algorithm,
    key === signing ? badge(t('key.signs'), 'good') : badge(t(`key.${stateOf(key, now)}`)),
    time(new Date(key.signs_from)),
    time(new Date(key.created_at)),
    key.retired_at === null ? null : time(new Date(key.retired_at)),
  ]),
  empty: t('keys.none'),
})}
${
  configured === null &&
  html`<p class="detail">${t('keys.rotateLead', { seconds })}</p>
${actionForm(request, { path, action: 'rotate', body: button(t('keys.rotate'), 'danger') })}`
}</section>`,
    })
  },
  actions: {
    rotate: async (request) => {
      const { deps, options, user, settings, t } = request
      const configured = configuredSetting(deps.config)
      if (configured !== null) {
        return { rejected: t('keys.configured', { setting: settings.nameOf(configured) }) }
      }
      await rotateSigningKey(openCall(deps, options), user)
      return done(request, path, t('keys.rotated'))
    },
  },
}

/** Returns the setting whose key signs; null where Latchkey generates the keys. */
const configuredSetting = ({ jwt }: Config): 'jwt.keys' | 'jwt.secret' | null => {
  if (jwt.keys !== null) return 'jwt.keys'
  return jwt.secrets.length > 0 ? 'jwt.secret' : null
}

function stateOf(
  { retired_at: retiredAt, signs_from: from }: SigningKeyRow,
  now: Date,
): 'retired' | 'published' | 'verifies' {
  if (retiredAt !== null) return 'retired'
  return new Date(from) > now ? 'published' : 'verifies'
}
