import { hydrate } from 'svelte'
import App from './app.svelte'
import { propsOf, root } from './page-window.ts'

/** Hydrates the page. */
export function start(): void {
  hydrate(App, { target: root() as never, props: propsOf() })
}
