import { recordAlone } from '../../../accounts/acts/record-act.ts'
import { keyEncryption, rotationPlan } from '../../../credentials/access-tokens/open-key-ring.ts'
import { rotateNow } from '../../../credentials/access-tokens/rotate-signing-keys.ts'
import {
  findAllSigningKeys,
  type SigningKeyRow,
} from '../../../credentials/access-tokens/signing-keys.sql.ts'
import type { Config } from '../../../platform/config/config.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { html } from '../../../service/pages/html.ts'
import { button } from '../../pages/components/button.ts'
import { dataTable } from '../components/data-table.ts'
import { badge, mono, time } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import { actionForm, done } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'

const path = '/console/keys'

/** The generated signing keys of access tokens. */
export const keysRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    const { deps, settings } = request
    const { config, clock } = deps
    const configured = configuredSetting(config)
    const now = clock.now()
    const keys = await findAllSigningKeys(deps.database.sql)
    const signing = keys.find((key) => key.retired_at === null && new Date(key.signs_from) <= now)
    return presentConsole(request, {
      entry: 'keys',
      heading: 'Signing keys',
      lead:
        configured === null
          ? 'Keys that sign access tokens. The service rotates them by itself.'
          : `${settings.nameOf(configured)} signs access tokens, so no key is generated.`,
      body: html`<section>
${dataTable({
  caption: 'Keys, the latest first',
  columns: ['Id', 'Algorithm', 'State', 'Signs from', 'Created', 'Retired'],
  rows: keys.map((key) => [
    mono(key.id),
    key.algorithm,
    key === signing ? badge('Signs', 'good') : badge(stateOf(key, now)),
    time(new Date(key.signs_from)),
    time(new Date(key.created_at)),
    key.retired_at === null ? null : time(new Date(key.retired_at)),
  ]),
  empty: 'No generated key.',
})}
${
  configured === null &&
  html`<p>A rotation publishes a new key now. It signs after ${config.jwt.rotation.overlapSeconds} seconds; tokens of earlier keys stay valid until they expire.</p>
${actionForm(request, { path, action: 'rotate', body: button('Publish a new signing key', 'danger') })}`
}</section>`,
    })
  },
  actions: {
    rotate: async (request) => {
      const { deps, page, user, settings } = request
      const { config, clock, random, database } = deps
      const configured = configuredSetting(config)
      if (configured !== null) {
        throw validationFailed(`${settings.nameOf(configured)} signs, so a new key would not`)
      }
      const needs = {
        clock,
        random,
        transaction: database.transaction,
        encryption: keyEncryption(config.encryptionKeys),
      }
      await rotateNow(needs, rotationPlan(config.jwt))
      const { id: actorId, role: actorRole } = user
      await recordAlone(page.ctx, { action: 'signing_key_rotated', actorId, actorRole })
      return done(request, path, 'A new signing key was published.')
    },
  },
}

/** Returns the setting whose key signs; null where Latchkey generates the keys. */
const configuredSetting = ({ jwt }: Config): 'jwt.keys' | 'jwt.secret' | null => {
  if (jwt.keys !== null) return 'jwt.keys'
  return jwt.secrets.length > 0 ? 'jwt.secret' : null
}

function stateOf({ retired_at: retiredAt, signs_from: from }: SigningKeyRow, now: Date): string {
  if (retiredAt !== null) return 'Retired'
  return new Date(from) > now ? 'Published' : 'Verifies'
}
