import type { ResourceAccess } from '../../service/api/protected-resource.ts'

/** The access of a request, in the form that servers of `@modelcontextprotocol/sdk` read. */
export interface ResourceAuthInfo {
  token: string
  clientId: string
  scopes: string[]
  /** In seconds since 1970. */
  expiresAt: number
  extra: { userId: string | null }
}

/** Returns the access in the form of `AuthInfo` of `@modelcontextprotocol/sdk`. */
export const authInfoOf = ({
  token,
  clientId,
  scopes,
  expiresAt,
  userId,
}: ResourceAccess): ResourceAuthInfo => ({
  token,
  clientId,
  scopes,
  expiresAt: Math.floor(expiresAt.getTime() / 1000),
  extra: { userId },
})

/** Distinguishes a response from access, also if the host replaced the class `Response`. */
export const isResponse = (result: Response | ResourceAccess): result is Response =>
  'status' in result
