import type { AuthContext } from '../../accounts/auth-context.ts'
import { type ExplainedDecision, findDecisions } from '../../accounts/decisions/decisions.sql.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { isRequestId } from '../../platform/http/request-id.ts'

const most = 20

/**
 * Returns the decisions about a request, the newest first; an empty list when nothing was rejected
 * in the last day.
 *
 * @throws AuthError `validation_failed` for an invalid request id.
 */
export async function explainRequest(
  { sql, reader, clock, decisions }: AuthContext,
  requestId: unknown,
): Promise<ExplainedDecision[]> {
  if (typeof requestId !== 'string' || !isRequestId(requestId)) {
    throw validationFailed('request_id: has to be the id of a request')
  }
  // Recent decisions of this process may not be stored yet. Stored now, they are not at a replica.
  const source = decisions.isFilled() ? sql : reader
  await decisions.flush()
  return findDecisions(source, { requestId, now: clock.now(), limit: most })
}
