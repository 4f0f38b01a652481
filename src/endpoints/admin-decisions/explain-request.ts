import type { AuthContext } from '../../accounts/auth-context.ts'
import { type ExplainedDecision, findDecisions } from '../../accounts/decisions/decisions.sql.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { isRequestId } from '../../platform/http/common-headers.ts'

/** The number of decisions that are returned for each request. */
const most = 20
/** The number of requests that one statement explains. */
const mostRequests = 100

/**
 * Returns the decisions about a request, the newest first; an empty list when nothing was rejected
 * in the last day.
 *
 * @throws AuthError `validation_failed` for an invalid request id.
 */
export async function explainRequest(
  ctx: AuthContext,
  requestId: unknown,
): Promise<ExplainedDecision[]> {
  if (!isId(requestId)) throw validationFailed('request_id: has to be the id of a request')
  return find(ctx, [requestId])
}

/**
 * Returns the decisions about several requests, as {@link explainRequest} does for one.
 *
 * @throws AuthError `validation_failed` for an invalid request id, and for more than 100.
 */
export async function explainRequests(
  ctx: AuthContext,
  requestIds: readonly unknown[],
): Promise<ExplainedDecision[]> {
  if (requestIds.length > mostRequests || !requestIds.every(isId)) {
    throw validationFailed(`request_id: has to be at most ${mostRequests} ids of requests`)
  }
  const wanted = [...new Set(requestIds)]
  return wanted.length > 0 ? find(ctx, wanted) : []
}

const isId = (id: unknown): id is string => typeof id === 'string' && isRequestId(id)

async function find(
  { sql, reader, clock, decisions }: AuthContext,
  requestIds: readonly string[],
): Promise<ExplainedDecision[]> {
  // Recent decisions of this process may not be stored yet. Stored now, they are not at a replica.
  const source = decisions.isFilled() ? sql : reader
  await decisions.flush()
  return findDecisions(source, { requestIds, now: clock.now(), limit: most })
}
