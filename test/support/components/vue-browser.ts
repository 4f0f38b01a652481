import { createWebHistory } from 'vue-router'
import { propsOf } from './page-window.ts'
import { createPageApp } from './vue-app.ts'

/** Hydrates the page. */
export function start(): void {
  const { app, router } = createPageApp(propsOf(), createWebHistory())
  void router.isReady().then(() => app.mount('#root'))
}
