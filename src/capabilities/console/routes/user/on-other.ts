import type { ConsoleAction } from '../../console-route.ts'

/**
 * Returns an action that rejects the operator's own account. Its credentials require a recent
 * proof, which the account pages check.
 */
export const onOther =
  (run: ConsoleAction): ConsoleAction =>
  async (request, form) =>
    request.id.toLowerCase() === request.user.id
      ? { rejected: request.t('user.ownAccount') }
      : run(request, form)
