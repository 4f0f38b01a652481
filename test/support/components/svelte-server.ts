import { requireUser } from 'latchkey/svelte'
import { render as renderSvelte } from 'svelte/server'
import App from './app.svelte'
import { type PageState, propsOf } from './page-window.ts'

/** Renders a page of the application, or returns the path of a redirect. */
export async function render(url: string, state: PageState) {
  const props = propsOf(state)
  const target = new URL(url)
  let redirect: string | undefined
  if (target.pathname.endsWith('/account'))
    await requireUser(props.client, target, (_status, location) => {
      redirect = location
      return undefined as never
    })
  return redirect === undefined ? { html: renderSvelte(App, { props }).body } : { redirect }
}
