import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerWithoutRuntime } from '../../platform/http/answer-outside-app.ts'
import { loadOnce } from '../../platform/kit/load-once.ts'
import { stderrLogger } from '../../platform/observability/logger.ts'
import type { Auth } from '../../service/api/auth.ts'
import { NodeRequest } from './node-request.ts'
import { sendAnswer } from './send-answer.ts'

/** Handles a request of `node:http`. Must not reject: the process would end. */
export type NodeHandle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

type Srvx = Pick<typeof import('srvx/node'), 'toNodeHandler'>

/**
 * Returns a function that loads srvx once. It returns the error of a failure, and the next call
 * tries again.
 */
export function srvxLoader(load: () => Promise<Srvx>): () => Promise<Srvx | Error> {
  const loaded = loadOnce(load)
  return () => loaded().catch((cause: unknown) => new Error('srvx cannot be loaded', { cause }))
}

/** Loads srvx, which loads Node's `fetch`. */
export const loadSrvx = srvxLoader(() => import('srvx/node'))

/** Handles requests by the `fetch` of an app, with the classes of the Fetch standard. */
export function handleByFetch(
  app: Pick<Auth['app'], 'fetch'>,
  load: () => Promise<Srvx | Error> = loadSrvx,
): NodeHandle {
  return async (req, res) => {
    const srvx = await load()
    if (srvx instanceof Error)
      await sendAnswer(res, answerWithoutRuntime(stderrLogger, srvx, new NodeRequest({ req, res })))
    else await (srvx.toNodeHandler(app.fetch) as NodeHandle)(req, res)
  }
}
