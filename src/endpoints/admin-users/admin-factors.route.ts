import { presentRecoveryCodes } from '../../accounts/factors/recovery-code.ts'
import { presentFactor } from '../../accounts/users/present-factor.ts'
import { implement } from '../http/implement.ts'
import {
  deleteFactorByIdEndpoint,
  getRecoveryCodesByIdEndpoint,
  listFactorsEndpoint,
  updateFactorByIdEndpoint,
} from './admin-factors.endpoint.ts'
import { changeFactor, deleteFactor, getRecoveryCodes, listFactors } from './user-factors.ts'

export const adminFactorsRoutes = [
  implement(listFactorsEndpoint, {
    run: ({ ctx, ids }) => listFactors(ctx, ids.userId),
    present: (factors) => factors.map(presentFactor),
  }),
  implement(updateFactorByIdEndpoint, {
    run: ({ ctx, admin, ids, input }) => changeFactor(ctx, admin, ids, input),
    present: presentFactor,
  }),
  implement(deleteFactorByIdEndpoint, {
    run: ({ ctx, admin, ids }) => deleteFactor(ctx, admin, ids),
    present: presentFactor,
    returns: () => undefined,
  }),
  implement(getRecoveryCodesByIdEndpoint, {
    run: ({ ctx, ids }) => getRecoveryCodes(ctx, ids.userId),
    present: presentRecoveryCodes,
  }),
] as const
