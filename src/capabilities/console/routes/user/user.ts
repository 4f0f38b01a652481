import type { Answer } from '../../../../platform/http/answer.ts'
import { presentConsole } from '../../console-layout.ts'
import { type ConsoleRequest, userPath } from '../../console-request.ts'
import type { ConsoleRoute } from '../../console-route.ts'
import { nameOf, statusOf } from '../users.ts'
import { account } from './account.ts'
import { acts, banAction, passwordAction, unbanAction } from './acts.ts'
import { changeAction, changeForm } from './change.ts'
import { eraseAction, erasure, exportAction } from './erasure.ts'
import { grants, revokeGrantAction } from './grants.ts'
import { history } from './history.ts'
import { linkAction, linkForm } from './link.ts'
import { onOther } from './on-other.ts'
import { readUser, type UserDetail } from './read-user.ts'
import { endSessionAction, sessions, signOutAction } from './sessions.ts'
import { removalActions, signInMethods } from './sign-in-methods.ts'

/** One user with everything that is stored about the account, and the acts of operators. */
export const userRoute: ConsoleRoute = {
  path: userPath(':id'),
  show: async (request) => presentUser(request, await readUser(request)),
  actions: {
    change: onOther(changeAction),
    password: onOther(passwordAction),
    ban: onOther(banAction),
    unban: onOther(unbanAction),
    'sign-out': onOther(signOutAction),
    'end-session': onOther(endSessionAction),
    ...removalActions,
    'revoke-grant': onOther(revokeGrantAction),
    link: onOther(linkAction),
    export: exportAction,
    erase: onOther(eraseAction),
  },
}

function presentUser(request: ConsoleRequest, detail: UserDetail): Answer {
  const { user } = detail
  return presentConsole(request, {
    entry: 'users',
    heading: nameOf(user),
    trail: [{ label: request.t('nav.users'), path: '/console/users' }],
    lead: statusOf(request, user),
    body: [
      account(request, user),
      sessions(request, detail),
      signInMethods(request, detail),
      grants(request, detail),
      history(request, detail),
      changeForm(request, user),
      acts(request, user),
      linkForm(request, user),
      erasure(request, user),
    ],
  })
}
