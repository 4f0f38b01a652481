import { sessionMiddleware } from 'latchkey/react-router'
import { Outlet, Scripts } from 'react-router'
import { sessions } from './auth'
import { sessionContext } from './session'

export const middleware = [sessionMiddleware(sessions, sessionContext)]

export default function Root() {
  return (
    <html lang="en">
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  )
}
