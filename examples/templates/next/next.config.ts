import type { NextConfig } from 'next'

const config: NextConfig = {
  // Loaded from node_modules, once for pages, routes and the proxy, which Next bundles apart.
  serverExternalPackages: ['latchkey'],
}

export default config
