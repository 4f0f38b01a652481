import { implement } from '../http/implement.ts'
import { recoverEndpoint } from './recover.endpoint.ts'
import { requestRecovery } from './request-recovery.ts'

export const recoverRoutes = [
  implement(recoverEndpoint, {
    run: ({ ctx, input }) => requestRecovery(ctx, input),
    present: () => ({}),
  }),
] as const
