import type { H3 } from 'h3'
import { methodNotAllowed } from '../errors/request-errors.ts'
import type { AnswerPreflight } from './cors.ts'

/**
 * Adds HEAD to every GET route, and responses to other methods of known paths: 405 with `Allow`,
 * except for preflight requests. Call it after all routes are added.
 */
export function rejectOtherMethods(app: H3, answerPreflight: AnswerPreflight): void {
  const known = app['~routes'].filter(({ method }) => method !== 'HEAD')
  const ownHeads = new Set(app['~routes'].map(({ method, route }) => method === 'HEAD' && route))
  for (const { method, route, handler } of known) {
    // h3 falls back to GET only if no other route matches, and the routes added below always match.
    if (method === 'GET' && route && !ownHeads.has(route)) app.head(route, handler)
  }
  for (const path of new Set(known.map(({ route }) => route))) {
    const methods = known
      .filter(({ route }) => route === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : (method ?? [])))
    app.all(path ?? '/', (event) => answerPreflight(event, () => methodNotAllowed(methods)))
  }
}
