import { decodeJws } from '../../platform/kit/jws.ts'

/**
 * Returns the id of the session that a token names; undefined without one. The token is not
 * verified and may have expired, so it is only a reason to reject.
 */
export const namedSession = (token: string): unknown => decodeJws(token)?.payload['session_id']
