import { createElement as h } from 'react'
import { renderToString } from 'react-dom/server'
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from 'react-router'
import { type PageState, propsOf } from './page-window.ts'
import { provided, routesOf } from './react-app.ts'

/** Renders a page of the application, or returns the path of a redirect. */
export async function render(url: string, state: PageState) {
  const props = propsOf(state)
  const handler = createStaticHandler(routesOf(props))
  let context: unknown
  const response = await handler.query(new Request(url), {
    generateMiddlewareResponse: async (query) => {
      context = await query(new Request(url))
      return context instanceof Response ? context : new Response()
    },
  })
  const location = (response as Response).headers.get('location')
  if (location !== null) return { redirect: location }
  const router = createStaticRouter(handler.dataRoutes, context as never)
  const app = h(StaticRouterProvider, { router, context: context as never })
  return { html: renderToString(provided(props, app)) }
}
