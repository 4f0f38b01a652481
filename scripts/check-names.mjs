// Checks the names of the code: files and identifiers contain no word of `privateWords`, and no type
// name is exported twice. Part of `npm run lint`.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { token } from './check-words.mjs'
import { root } from './paths.mjs'

/**
 * Words that names do not contain, each with its replacement. A name has a word between capitals,
 * digits and hyphens: `isTold` has `told`.
 *
 * @type {readonly (readonly [words: RegExp, write: string])[]}
 */
export const privateWords = [
  [/^newcomers?$/, 'newUser'],
  [/^(?:(?:some|any|every)body|nobodys?|whoever)$/, 'a role: user, client, owner'],
  [/^strangers?$/, 'otherClient, attacker'],
  [/^rival(?:s|led)?$/, 'contested, competing'],
  [/^knock(?:s|ed)?$/, 'send, request'],
  [/^doors?$/, 'entryPoint, endpoint'],
  [/^(?:told|tells?)$/, 'received, reported, notified'],
  [/^(?:said|says?)$/, 'status, message, warning'],
  [/^(?:asked|asking)$/, 'requested, pending'],
  [/^gone$/, 'deleted, expired, missing'],
  [/^forgets?$/, 'delete, discard'],
  [/^(?:happenings?|happened)$/, 'event'],
  [/^journeys?$/, 'flow'],
  [/^(?:brought|brings)$/, 'submitted, supplied'],
  [/^lanes?$/, 'key, slot'],
  [/^impatience$/, 'limit, timer'],
  [/^(?:depart(?:s|ure)?|arriv(?:es?|al))$/, 'authorizationRequest, callback'],
]

/** Former names, which a reader had to look up. */
const formerNames =
  /^(?:Unread|spendProof|turnOf|hashingTurn|askAboutPassword|giveBackLimits|findHolder|presentPeople)$/

/** @typedef {{ path: string, source: string }} SourceFile */

// The name in a declaration, a parameter, a member or a destructuring. Words in strings, comments
// and SQL are not names.
const declared =
  /(?:\b(?:const|let|var|function\*?|class|interface|type|enum)\s+|[{([,;]\s*(?:readonly\s+|async\s+|\.\.\.)*)([A-Za-z_$][\w$]*)|^\s*(?:readonly\s+|async\s+)?([A-Za-z_$][\w$]*)\??(?=\s*[:(<])|:\s*([A-Za-z_$][\w$]*)(?=\s*[,}])/gm

/**
 * Returns the names in a file with a private word, a sentence each.
 *
 * @param {SourceFile} file
 */
export function privateNamesIn({ path, source }) {
  const code = source.replace(token, (text) => text.replace(/[^\n]/g, ' '))
  const found = [...code.matchAll(declared)].flatMap((match) => {
    const name = match[1] ?? match[2] ?? match[3] ?? ''
    const write = replacementFor(name)
    const line = code.slice(0, match.index + match[0].length).split('\n').length
    return write ? [`${path}:${line}: "${name}"; write ${write}`] : []
  })
  const write = replacementFor(basename(path))
  return [...(write ? [`${path}: the name of the file; write ${write}`] : []), ...new Set(found)]
}

/** @param {string} name */
function replacementFor(name) {
  if (formerNames.test(name)) return 'the name that replaced it'
  const words = name.split(/(?=[A-Z])|[^A-Za-z]+/).map((word) => word.toLowerCase())
  return privateWords.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1]
}

/**
 * Returns the type names that several files export, a sentence each.
 *
 * @param {readonly SourceFile[]} files
 */
export function typesExportedTwice(files) {
  /** @type {Map<string, Set<string>>} */
  const places = new Map()
  for (const { path, source } of files) {
    for (const [, name = ''] of source.matchAll(
      /^export (?:abstract )?(?:interface|type|class) (\w+)/gm,
    )) {
      places.set(name, (places.get(name) ?? new Set()).add(path))
    }
  }
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `the type ${name} is exported by ${[...paths].join(' and ')}`)
}

/** @param {string} pattern */
const filesOf = (pattern) =>
  globSync(pattern, {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**', 'examples/{apps,templates}/**'],
  })
    .sort()
    .map((path) => ({ path, source: readFileSync(join(root, path), 'utf8') }))

/** Returns all findings in the repository. */
const findings = () => [
  ...filesOf('{src,test,bench,scripts,examples}/**/*.{ts,mjs}').flatMap(privateNamesIn),
  ...typesExportedTwice(filesOf('src/**/*.ts')),
  ...typesExportedTwice(filesOf('test/support/**/*.ts')),
]

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const finding of findings()) {
    console.error(finding)
    process.exitCode = 1
  }
}
