import type { H3 } from 'h3'
import { methodNotAllowed } from '../errors/request-errors.ts'
import type { AnswerPreflight } from './cors.ts'

/**
 * Answers HEAD where GET is answered, and 405 with `Allow` where a path is known and its method is
 * not, but for what a browser asks before a call. Call after all routes.
 */
export function refuseOtherMethods(app: H3, answerPreflight: AnswerPreflight): void {
  const known = app['~routes'].filter(({ method }) => method !== 'HEAD')
  const ownHeads = new Set(app['~routes'].map(({ method, route }) => method === 'HEAD' && route))
  for (const { method, route, handler } of known) {
    // By itself h3 falls back to GET only where nothing else matches, and below something always does.
    if (method === 'GET' && route && !ownHeads.has(route)) app.head(route, handler)
  }
  for (const path of new Set(known.map(({ route }) => route))) {
    const methods = known
      .filter(({ route }) => route === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : (method ?? [])))
    app.all(path ?? '/', (event) => answerPreflight(event, () => methodNotAllowed(methods)))
  }
}
