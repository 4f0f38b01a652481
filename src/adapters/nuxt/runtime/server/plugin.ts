import { defineNitroPlugin } from '#imports'
import { keepPrivate } from './open-session.ts'
import { pageDoor } from './page-session.ts'
import { sessions } from './sessions.ts'

export default defineNitroPlugin(({ hooks }) => {
  if (import.meta.prerender) return
  // What is wrong with its settings shows when the server starts, not when somebody first asks.
  const { auth } = sessions()
  hooks.hook('request', (event) => {
    event.context.latchkey = pageDoor
  })
  hooks.hook('beforeResponse', keepPrivate)
  hooks.hook('close', () => auth.close())
})
