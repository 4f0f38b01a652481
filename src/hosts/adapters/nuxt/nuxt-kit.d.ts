// Declarations of the used parts of Nuxt, which applications install and this repository does not.
// `npm run test:hosts -- nuxt` compares them with Nuxt's own types.

declare module 'nuxt/kit' {
  import type { LatchkeyModule, LatchkeyOptions } from './module.ts'

  interface File {
    name: string
    path: string
  }
  interface Import {
    name: string
    from: string
  }

  export function defineNuxtModule(definition: {
    meta: object
    defaults: LatchkeyOptions
    setup(options: Required<LatchkeyOptions>, nuxt: Nuxt): Promise<void>
  }): LatchkeyModule
  export function addComponent(component: { name: string; export: string; filePath: string }): void
  export function addImports(imports: Import[]): void
  export function addPlugin(path: string): void
  export function addRouteMiddleware(middleware: File[]): void
  export function addServerHandler(handler: { route: string; handler: string }): void
  export function addServerImports(imports: Import[]): void
  export function addServerPlugin(path: string): void
  export function addTemplate(template: {
    filename: string
    write: boolean
    getContents(): string
  }): { dst: string }
  export function findPath(paths: string[]): Promise<string | null>
  export function getLayerDirectories(): { server: string }[]
  export function resolvePath(path: string): Promise<string>

  export interface Nuxt {
    options: {
      _prepare?: boolean
      alias: Record<string, string>
      vite: { optimizeDeps?: { include?: string[] } }
    }
    hook(name: 'nitro:config', change: (config: NitroConfig) => void): void
  }

  export interface NitroConfig {
    alias?: Record<string, string>
    externals?: { external?: unknown[] }
    routeRules?: Record<string, Record<string, unknown>>
  }
}
