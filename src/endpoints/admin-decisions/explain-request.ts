import type { AuthContext } from '../../accounts/auth-context.ts'
import { type ExplainedDecision, findDecisions } from '../../accounts/decisions/decisions.sql.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { isRequestId } from '../../platform/http/request-id.ts'

const most = 20

/**
 * What was decided about a request, the newest first; none where nothing was refused, or not in the last day.
 *
 * @throws AuthError `validation_failed` for what is no id of a request.
 */
export async function explainRequest(
  { sql, clock, decisions }: AuthContext,
  requestId: unknown,
): Promise<ExplainedDecision[]> {
  if (typeof requestId !== 'string' || !isRequestId(requestId)) {
    throw validationFailed('request_id: has to be the id of a request')
  }
  // What was decided a moment ago, as far as it was here.
  await decisions.flush()
  return findDecisions(sql, { requestId, now: clock.now(), limit: most })
}
