import type { H3, H3Event } from 'h3'
import { object } from 'superstruct'
import type { Deps } from '../../deps.ts'
import { checkInput } from '../../http/check-input.ts'
import { Text } from '../../http/inputs.ts'
import { openContext } from '../../http/open-context.ts'
import { presentFactor } from '../../http/present-factor.ts'
import { readJson } from '../../http/read-json.ts'
import { readBearer } from '../../http/read-request.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import { changeFactor, deleteFactor, type FactorIds, listFactors } from './user-factors.ts'

/** `GET /admin/users/{user_id}/factors` */
export function listFactorsRoute(app: H3, deps: Deps): void {
  app.get('/admin/users/:user_id/factors', async (event) => {
    const ctx = openContext(deps, event)
    await authenticateAdmin(ctx, readBearer(event))

    const factors = await listFactors(ctx, readIds(event).userId)
    return factors.map(presentFactor)
  })
}

/** Body of the route below, as it travels. */
const FactorBody = object({ friendly_name: Text, phone: Text })

/** `PUT /admin/users/{user_id}/factors/{factor_id}` */
export function updateFactorByIdRoute(app: H3, deps: Deps): void {
  app.put('/admin/users/:user_id/factors/:factor_id', async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))
    const body = checkInput(await readJson(event), FactorBody)

    const changes = { friendlyName: body.friendly_name, phone: body.phone }
    return presentFactor(await changeFactor(ctx, admin, readIds(event), changes))
  })
}

/** `DELETE /admin/users/{user_id}/factors/{factor_id}` */
export function deleteFactorByIdRoute(app: H3, deps: Deps): void {
  app.delete('/admin/users/:user_id/factors/:factor_id', async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))

    return presentFactor(await deleteFactor(ctx, admin, readIds(event)))
  })
}

const readIds = ({ context }: H3Event): FactorIds => ({
  userId: context.params?.['user_id'] ?? '',
  factorId: context.params?.['factor_id'] ?? '',
})
