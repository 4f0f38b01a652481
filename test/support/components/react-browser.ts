import { createElement as h } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { createBrowserRouter, RouterProvider } from 'react-router'
import { propsOf, root } from './page-window.ts'
import { provided, routesOf } from './react-app.ts'

/** Hydrates the page. */
export function start(): void {
  const props = propsOf()
  const router = createBrowserRouter(routesOf(props))
  hydrateRoot(root() as never, provided(props, h(RouterProvider, { router })), {
    onRecoverableError: (error) => console.error('hydration', error),
  })
}
