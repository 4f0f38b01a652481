import { defineEventHandler, getRequestIP, toWebRequest } from '#imports'
import type { ServerEvent } from './server-event.ts'
import { sessions } from './sessions.ts'

/** The service, below its base path. The address is that of the connection; a body that middleware has read is found. */
export default defineEventHandler((event) => {
  if (!hasGoodHost(event)) return badHost()
  return sessions().fetch(toWebRequest(event), { ip: getRequestIP(event) })
})

/** No request can be made with another, or with credentials, and Nitro's own page of an error would fail too. */
function hasGoodHost({ node }: ServerEvent): boolean {
  const host = node.req.headers['host'] ?? ''
  return !host.includes('@') && URL.canParse(`http://${host}`)
}

const badHost = (): Response =>
  Response.json(
    { code: 400, error_code: 'validation_failed', msg: 'Host: not the name of a host' },
    { status: 400 },
  )
