// Checks the imports of src/ against layers.mjs, types and `declare module` included. Part of
// `npm run lint`.
import { globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closed, inner, layers, packages, restricted, sharedFiles, terms } from './layers.mjs'
import { root } from './paths.mjs'

/**
 * @typedef {{ rank: number, place: number, siblings: readonly string[], folder: string }} Position
 */

/** Each folder with its rank: the layer, and its place within the layer. */
const positions = layers.flatMap(({ folders }, rank) =>
  folders.flatMap((line, place) => {
    const siblings = line.split(' ')
    return siblings.map((folder) => ({ rank, place, siblings, folder }))
  }),
)

const specifiers =
  /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+|\bdeclare module\s+)(['"])([^'"\n$]+)\1/g

/**
 * Returns the violations of one file, a sentence each.
 *
 * @param {string} file its path below src/.
 * @param {string} text its content.
 */
export function violationsIn(file, text) {
  const from = positionOf(file)
  if (!from) return [`${file}: no layer of scripts/layers.mjs contains this file`]
  const code = text.replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, '')
  return [...code.matchAll(specifiers)].flatMap(([, , specifier = '']) => {
    const reason = specifier.startsWith('.')
      ? reasonAgainstFile(file, from, join('/', file, '..', specifier).slice(1))
      : reasonAgainstPackage(file, specifier)
    return reason ? [`${file} imports ${specifier}: ${reason}`] : []
  })
}

/** Returns the violations of all files of src/, tests excluded. */
export const violationsOfAll = () =>
  globSync('**/*.ts', { cwd: join(root, 'src'), exclude: (path) => path.endsWith('.test.ts') })
    .sort()
    .flatMap((file) => violationsIn(file, readFileSync(join(root, 'src', file), 'utf8')))

/**
 * @param {string} file
 * @param {Position} from
 * @param {string} target
 */
function reasonAgainstFile(file, from, target) {
  const limit = closed.find(({ place }) => isIn(file, place))
  if (limit && !limit.may.some((place) => isIn(target, place))) return limit.because
  const reserved = restricted.find((one) => one.file === target)
  if (reserved && !reserved.to.some((place) => isIn(file, place))) {
    return `only ${reserved.to.join(', ')} may import it`
  }
  if (target.endsWith(terms.suffix) && from.rank === 0 && !isTermsOrList(file)) {
    return `of the platform, only ${terms.lists.join(', ')} may import it`
  }
  const to = positionOf(target)
  // The manifest and migrations lie outside src/.
  if (!to) return null
  return isBelow(from, to, file, target) ? null : 'imports point from a higher layer to a lower one'
}

/**
 * @param {Position} from
 * @param {Position} to
 * @param {string} file
 * @param {string} target
 */
function isBelow(from, to, file, target) {
  if (to.rank !== from.rank) return to.rank < from.rank
  if (sharedFiles.includes(target) || sharedFiles.includes(file)) return true
  if (to.place !== from.place) return to.place < from.place
  const own = ownFolder(file, from)
  if (to.folder !== from.folder || own !== ownFolder(target, to)) return false
  return isBelowInside(own, file, target)
}

/**
 * Returns whether the order inside a folder permits an import.
 *
 * @param {string} folder
 * @param {string} file
 * @param {string} target
 */
function isBelowInside(folder, file, target) {
  const order = Object.entries(inner).find(([name]) => name === folder)?.[1]
  const from = innerFolder(folder, file)
  const to = innerFolder(folder, target)
  if (!order || !from || !to || from === to) return true
  const placeOf = (/** @type {string} */ name) =>
    order.findIndex((line) => line.split(' ').includes(name))
  return placeOf(to) >= 0 && placeOf(to) < placeOf(from)
}

/**
 * Returns the name of the folder inside a folder; undefined for a file beside those.
 *
 * @param {string} folder
 * @param {string} path
 */
const innerFolder = (folder, path) => /^\/([^/]+)\//.exec(path.slice(folder.length))?.[1]

/**
 * @param {string} file
 * @param {string} specifier
 */
function reasonAgainstPackage(file, specifier) {
  const limit = closed.find(({ place }) => isIn(file, place))
  if (limit) {
    return limit.may.some((name) => specifier === name || specifier.startsWith(prefixOf(name)))
      ? null
      : limit.because
  }
  const name = Object.keys(packages).find(
    (known) => specifier === known || specifier.startsWith(`${known}/`),
  )
  if (!name) {
    return specifier.startsWith('node:') && builtinModules.includes(specifier.slice(5))
      ? null
      : 'scripts/layers.mjs lists no folder for this package'
  }
  const places = packages[/** @type {keyof typeof packages} */ (name)]
  return places.some((place) => isIn(file, place))
    ? null
    : `only ${places.join(', ')} may import it`
}

/** @param {string} file */
const isTermsOrList = (file) => terms.lists.includes(file) || file.endsWith(terms.suffix)

/** @param {string} name */
const prefixOf = (name) => (name.endsWith(':') ? name : `${name}/`)

/**
 * Returns the position of the longest folder that contains a file.
 *
 * @param {string} path @returns {Position | undefined}
 */
const positionOf = (path) => {
  if (path.endsWith(terms.suffix)) return positions[0]
  if (sharedFiles.includes(path)) return { rank: 1, place: 0, siblings: [], folder: path }
  const found = positions.filter(({ folder }) =>
    folder.endsWith('/*') ? path.startsWith(folder.slice(0, -1)) : isIn(path, folder),
  )
  return found.toSorted((one, other) => other.folder.length - one.folder.length)[0]
}

/**
 * Returns the folder itself, which `*` stands for. @param {string} path @param {Position} position
 */
const ownFolder = (path, { folder }) =>
  folder.endsWith('/*') ? path.split('/').slice(0, 2).join('/') : folder

/** @param {string} path @param {string} place */
const isIn = (path, place) =>
  place.startsWith('.') ? path.endsWith(place) : path === place || path.startsWith(`${place}/`)

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const violations = violationsOfAll()
  for (const violation of violations) console.error(violation)
  if (violations.length > 0) process.exitCode = 1
}
