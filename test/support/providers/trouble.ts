import type { ServerResponse } from 'node:http'
import { answerJson } from '../web-server.ts'

/** Faults of a provider. */
export type Trouble =
  | 'error-with-200'
  | 'error-with-400'
  | 'form'
  | 'html'
  | 'html-with-500'
  | 'empty'
  | 'slow'
  | 'reset'

/** Returns whether the fault was produced, so that no response remains to be sent. */
export function makeTrouble(response: ServerResponse, trouble: string | undefined): boolean {
  const html = '<!doctype html><title>Something went wrong</title>'
  switch (trouble) {
    case 'error-with-200':
      answerJson(response, 200, { error: 'invalid_grant', ok: false })
      return true
    case 'error-with-400':
      answerJson(response, 400, { error: 'invalid_grant' })
      return true
    case 'html':
    case 'html-with-500':
      response.writeHead(trouble === 'html' ? 200 : 500, { 'content-type': 'text/html' }).end(html)
      return true
    case 'empty':
      answerJson(response, 200, {})
      return true
    case 'slow':
      // No response, so that the time-out of the client applies.
      return true
    case 'reset':
      response.socket?.resetAndDestroy()
      return true
    default:
      return false
  }
}
