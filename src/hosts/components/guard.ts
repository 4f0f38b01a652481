import { pagesAt } from './auth-pages.ts'
import type { AuthClient, AuthUser } from './auth-state.ts'

/** The input of the guards of routers. */
export interface GuardOptions {
  /** The mount path of the service. Default `/auth`. */
  basePath?: string | undefined
  /**
   * Returns the path of a sign-in page of the application, which replaces that of the service.
   *
   * @param returnTo the path of the guarded page.
   */
  signIn?: ((returnTo: string) => string) | undefined
}

/**
 * Returns the signed-in user, or the path of the sign-in page. An error of the client, for example
 * without a network, has no session.
 */
export async function findUser(
  client: AuthClient,
  returnTo: string,
  { basePath, signIn = pagesAt(basePath).signIn }: GuardOptions,
): Promise<{ user: AuthUser } | { user: null; signIn: string }> {
  const { data } = await client.getSession()
  const user = data.session?.user
  return user ? { user } : { user: null, signIn: signIn(returnTo) }
}
