import { totpCodeAt } from '../../accounts/factors/totp.ts'
import type { User } from '../../accounts/users/user.ts'
import { developerRoot } from '../../endpoints/http/local-access.ts'
import { conflict } from '../../platform/errors/request-errors.ts'
import { keep } from '../pages/complete-sign-in.ts'
import type { PageRoute } from '../pages/page-route.ts'
import type { ConsoleParts } from './console-parts.ts'

/** The path that signs a developer in as the demonstration operator. */
const demonstrationPath = `${developerRoot}/console`

const email = 'demonstration-operator@example.com'
const mark = { demonstration: true }

/**
 * Signs in as the demonstration operator, with a new password and a new factor that no party knows,
 * and opens the console. Only for a developer at this machine: the caller checks that.
 */
export const demonstrationRoute = ({ admin, api, deps }: ConsoleParts): PageRoute => ({
  path: demonstrationPath,
  show: async (page) => {
    const { random, clock, config } = deps
    const { options } = page
    const password = random.hex(24)
    const role = config.jwt.adminRoles[0] ?? 'service_role'
    const found = await admin.findUser({ email }, options)
    if (found && !isDemonstration(found)) throw conflict(`${email} is a user of the application`)
    const user = found
      ? await admin.updateUser(found.id, { password, role }, options)
      : await admin.createUser(
          { email, password, role, emailConfirm: true, appMetadata: mark },
          options,
        )
    for (const { id } of user.factors) await admin.deleteFactor(user.id, id, options)
    const { session } = await api.signInWithPassword({ email, password }, options)
    const { accessToken } = session
    const factor = await api.enrollFactor({ accessToken, factorType: 'totp' }, options)
    const factorId = factor.id
    const { id: challengeId } = await api.challengeFactor({ accessToken, factorId }, options)
    const code = await totpCodeAt(factor.totp?.secret ?? '', clock.now())
    const proof = { accessToken, factorId, challengeId, code }
    const proved = await api.verifyFactor(proof, options)
    return keep(page, proved.session, '/console')
  },
})

/** Only operators write this metadata, so no user can take the place of the operator. */
const isDemonstration = ({ appMetadata }: User): boolean => appMetadata['demonstration'] === true
