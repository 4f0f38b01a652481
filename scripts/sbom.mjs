// `npm run sbom [-- FILE]`: writes the content of the package and its dependencies, by
// package-lock.json, as a CycloneDX document. npm describes each package of the lockfile. The
// lockfile determines which of them are ours, since `npm sbom --omit=dev` (npm 11.19) omits pg and
// nodemailer. Bundled packages are added.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtIn } from './built-in.mjs'
import { npm } from './npm.mjs'
import { root } from './paths.mjs'

/**
 * @typedef {{ 'bom-ref': string, properties?: { name: string, value: string }[] }} Component
 * @typedef {{ ref: string, dependsOn: string[] }} Links
 * @typedef {{ metadata: { component: Component }, components: Component[], dependencies: Links[] }}
 *   Sbom
 */

const [file] = process.argv.slice(2)
const text = `${JSON.stringify(sbom(), null, 2)}\n`
if (file) writeFileSync(file, text)
else process.stdout.write(text)

/** @returns {Sbom} */
function sbom() {
  const all = describeAll()
  const { name, version, packages } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const inside = new Set(
    builtIn.map((each) => refOf(`node_modules/${each}`, packages[`node_modules/${each}`])),
  )
  const installed = new Set([...inside, ...refsOf(packages)])
  const components = all.components.filter((component) => installed.has(component['bom-ref']))
  if (components.length !== installed.size)
    throw new Error('npm sbom does not describe all packages of the lockfile')
  const self = all.metadata.component['bom-ref']
  return {
    ...all,
    // npm uses the name of the folder as our name.
    metadata: { ...all.metadata, component: { ...all.metadata.component, ...{ name, version } } },
    components: components.map((component) => {
      if (!inside.has(component['bom-ref'])) return component
      const property = { name: 'latchkey:built-in', value: 'true' }
      return { ...component, properties: [...(component.properties ?? []), property] }
    }),
    dependencies: all.dependencies
      .filter(({ ref }) => ref === self || installed.has(ref))
      .map(({ ref, dependsOn }) => ({
        ref,
        dependsOn: dependsOn.filter((on) => installed.has(on)),
      })),
  }
}

/**
 * Returns the packages that are installed with ours: all except development dependencies.
 *
 * @param {Record<string, { version: string, dev?: boolean }>} packages of the lockfile
 */
function refsOf(packages) {
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, found]) => refOf(path, found))
}

/**
 * @param {string} path in the lockfile
 * @param {{ version: string }} found
 */
function refOf(path, { version }) {
  return `${path.replace(/.*node_modules\//, '')}@${version}`
}

/** @returns {Sbom} */
function describeAll() {
  const flags = ['--sbom-format=cyclonedx', '--sbom-type=library', '--package-lock-only']
  const { status, stdout } = npm(['sbom', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error('npm sbom failed')
  return JSON.parse(String(stdout))
}
