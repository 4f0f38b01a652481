import { renderToString } from 'vue/server-renderer'
import { createMemoryHistory } from 'vue-router'
import { type PageState, propsOf } from './page-window.ts'
import { createPageApp } from './vue-app.ts'

/** Renders a page of the application, or returns the path of a redirect. */
export async function render(url: string, state: PageState) {
  let redirect: string | undefined
  const { app, router } = createPageApp(propsOf(state), createMemoryHistory(), (path) => {
    redirect = path
  })
  const { pathname, search } = new URL(url)
  await router.push(pathname + search)
  return redirect === undefined ? { html: await renderToString(app) } : { redirect }
}
