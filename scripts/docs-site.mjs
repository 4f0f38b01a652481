// `npm run docs:site` builds the documentation as a site into docs/.vitepress/dist;
// `npm run docs:dev` serves it while it is written. The site generator is a package in
// docs/.vitepress, which is installed at the first use. SITE_BASE=/latchkey/ builds a site for that
// path.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { isInstalled } from './install.mjs'
import { npm } from './npm.mjs'
import { root } from './paths.mjs'
import { pinnedNode } from './pinned-node.mjs'

const site = join(root, 'docs/.vitepress')
if (!isInstalled(site)) {
  console.error('Installing the packages of docs/.vitepress/package-lock.json …')
  const { status } = npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: site })
  if (status !== 0) throw new Error('`npm ci` failed: see above.')
}

const [command = 'build', ...flags] = process.argv.slice(2)
const vitepress = join(site, 'node_modules/vitepress/bin/vitepress.js')
const { status } = spawnSync(pinnedNode(), [vitepress, command, join(root, 'docs'), ...flags], {
  cwd: root,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
