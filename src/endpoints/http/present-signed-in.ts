import { presentSession } from '../../accounts/sessions/present-session.ts'
import type { IssuedSession } from '../../accounts/sign-in/issue-session.ts'
import { presentUser } from '../../accounts/users/present-user.ts'

/** Returns the wire form of a session and its user. */
export const presentSignedIn = ({ user, session }: IssuedSession) =>
  presentSession(presentUser(user), session)
