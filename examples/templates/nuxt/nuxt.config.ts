export default defineNuxtConfig({
  modules: ['latchkey/nuxt'],
  compatibilityDate: '2026-11-01',
  telemetry: false,
  app: { head: { title: 'Acme', htmlAttrs: { lang: 'en' } } },
})
