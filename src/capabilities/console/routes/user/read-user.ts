import type { ConsoleRequest } from '../../console-request.ts'

/** The number of audit entries on the page; the audit log has the others. */
const shownEntries = 10

/** Everything that is stored about a user. */
export type UserDetail = Awaited<ReturnType<typeof readUser>>

/** Reads a user with everything that the page shows. */
export async function readUser({ admin, options, id, deps: { config } }: ConsoleRequest) {
  const user = await admin.getUser(id, options)
  const [sessions, passkeys] = await Promise.all([
    admin.listSessions(id, {}, options),
    admin.listPasskeys(id, options),
  ])
  const [by, about, devices, grants] = await Promise.all([
    admin.listAudit({ actorId: id, limit: shownEntries }, options),
    admin.listAudit({ userId: id, limit: shownEntries }, options),
    config.mfa.trustedDevices.enabled ? admin.listTrustedDevices(id, options) : [],
    config.oauthServer.enabled ? admin.oauth.listGrants(id, options) : [],
  ])
  return { user, sessions, passkeys, devices, grants, by: by.entries, about: about.entries }
}
