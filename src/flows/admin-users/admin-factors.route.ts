import type { H3, H3Event } from 'h3'
import type { Deps } from '../../deps.ts'
import { openContext } from '../../http/open-context.ts'
import { presentFactor, presentRecoveryCodes } from '../../http/present-factor.ts'
import { readInput } from '../../http/read-input.ts'
import { readBearer } from '../../http/read-request.ts'
import { readPathId, serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import {
  deleteFactorByIdEndpoint,
  getRecoveryCodesByIdEndpoint,
  listFactorsEndpoint,
  updateFactorByIdEndpoint,
} from './admin-factors.endpoint.ts'
import {
  changeFactor,
  deleteFactor,
  type FactorIds,
  getRecoveryCodes,
  listFactors,
} from './user-factors.ts'

/** `GET /admin/users/{user_id}/factors` */
export function listFactorsRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, listFactorsEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await authenticateAdmin(ctx, readBearer(event))

    const factors = await listFactors(ctx, readIds(event).userId)
    return factors.map(presentFactor)
  })
}

/** `PUT /admin/users/{user_id}/factors/{factor_id}` */
export function updateFactorByIdRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, updateFactorByIdEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))
    const changes = await readInput(event, updateFactorByIdEndpoint)

    return presentFactor(await changeFactor(ctx, admin, readIds(event), changes))
  })
}

/** `DELETE /admin/users/{user_id}/factors/{factor_id}` */
export function deleteFactorByIdRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, deleteFactorByIdEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))

    return presentFactor(await deleteFactor(ctx, admin, readIds(event)))
  })
}

/** `GET /admin/users/{user_id}/factors/recovery-codes` */
export function getRecoveryCodesByIdRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, getRecoveryCodesByIdEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await authenticateAdmin(ctx, readBearer(event))

    return presentRecoveryCodes(await getRecoveryCodes(ctx, readPathId(event, 'user_id')))
  })
}

const readIds = (event: H3Event): FactorIds => ({
  userId: readPathId(event, 'user_id'),
  factorId: readPathId(event, 'factor_id'),
})
