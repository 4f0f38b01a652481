// Writes the lists of the platform that contain the terms of capabilities, from the exports of
// their `.terms.ts` files: `npm run docs`. It loads no source, so that the sources may be
// incomplete until it has run.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from './paths.mjs'

/**
 * A file of terms, by the name of its import.
 *
 * @typedef {{ name: string, file: string, exported: readonly string[] }} Terms
 */

const settingsSuffix = '-settings.terms.ts'
/** A file with settings, or one of a mail, is a part of the terms of its folder. */
const ofFolder = /capabilities\/([^/]+)\/\1(?:-settings)?\.terms\.ts$/

/** @type {(file: string) => Terms} */
const read = (file) => ({
  name: camelCase(basename(file).replace(/(-settings)?\.terms\.ts$/, 'Terms')),
  file,
  exported: [...readFileSync(join(root, file), 'utf8').matchAll(/^export \w+ (\w+)/gm)].map(
    ([, name = '']) => name,
  ),
})

/** @param {string} name */
const camelCase = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())

const allFiles = globSync('src/capabilities/*/*.terms.ts', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => ofFolder.test(file))
  .sort()
const terms = allFiles.filter((file) => !file.endsWith(settingsSuffix)).map(read)
const settings = allFiles.filter((file) => file.endsWith(settingsSuffix)).map(read)

/** Returns `name.member` for each file that exports the member. @type {(files: readonly Terms[], member: string) => string[]} */
const members = (files, member) =>
  files.filter(({ exported }) => exported.includes(member)).map(({ name }) => `${name}.${member}`)

/** @type {(names: readonly string[]) => string} */
const spread = (names) => names.map((name) => `...${name},`).join(' ')

/**
 * Returns the types of all files whose names match.
 *
 * @param {RegExp} pattern
 * @param {'&' | '|'} operator
 */
function typesLike(pattern, operator) {
  const names = terms.flatMap(({ name, exported }) =>
    exported
      .filter((one) => /^[A-Z]/.test(one) && pattern.test(one))
      .map((one) => `${name}.${one}`),
  )
  return names.join(` ${operator} `) || (operator === '&' ? 'object' : 'never')
}

/** @type {(files: readonly Terms[], from: string) => string} */
const imports = (files, from) =>
  files
    .map(({ name, file }) => `import * as ${name} from '${file.replace('src', from)}'`)
    .join('\n')

const origin =
  '// Written by scripts/write-capability-terms.mjs from the `.terms.ts` files of capabilities. Run npm run docs.'

const renderTerms = () => `${imports(terms, '..')}

${origin}

/** The names of all their tables, whether or not a database has them. @internal */
export const capabilityTables: readonly string[] = [${spread(members(terms, 'tables'))}]

/** Sections of the configuration. */
export type CapabilityConfig = ${typesLike(/^(?!Resolved|\w+MfaSection$)\w+Section$/, '&')}
export type ResolvedCapabilityConfig = ${typesLike(/^Resolved(?!\w+MfaSection$)\w+Section$/, '&')}

/** Settings in the group of second factors. */
export type CapabilityMfaConfig = ${typesLike(/^(?!Resolved)\w+MfaSection$/, '&')}
export type ResolvedCapabilityMfa = ${typesLike(/^Resolved\w+MfaSection$/, '&')}

export const capabilityErrorCodes = [${spread(members(terms, 'errorCodes'))}] as const

/** @internal */
export const capabilityErrorMeanings = { ${spread(members(terms, 'errorMeanings'))} }

export const capabilityAuditActions = { ${spread(members(terms, 'auditActions'))} } as const

/** Domain events, with the data of each. */
export type CapabilityEvents = ${typesLike(/^\w+Events$/, '&')}

export type CapabilityNotificationMail = ${typesLike(/^\w+Mail$/, '|')}

/** @internal */
export const capabilityNotificationMails = { ${spread(members(terms, 'notificationMails'))} }

/** Their lists in the export of a person. */
export type CapabilityExport = ${typesLike(/^\w+Export$/, '&')}

/** Methods in \`amr\` that take the place of a factor without proving one. */
export const factorSubstitutes = [${members(terms, 'factorSubstitute')}] as const

export type FactorSubstitute = (typeof factorSubstitutes)[number]
`

const renderSettings = () => `${imports(settings, '../..')}

${origin}
// They are apart from \`capability-terms.ts\`, on which the types of the configuration depend.

/** Settings in the group of second factors. */
export const capabilityMfaSettings = [${spread(members(settings, 'mfaSettings'))}] as const

/** Functions that return the URLs that browsers open with tokens, codes and passwords. */
export const capabilityUrls = [${members(settings, 'openedUrls')}] as const

/** Groups of settings, each a section of its own. */
export const capabilityGroups = [
${settings
  .filter(({ exported }) => exported.includes('settingsTitle'))
  .map(({ name }) => `{ title: ${name}.settingsTitle, settings: ${name}.settings },`)
  .join('\n')}
] as const

/** Functions that set the defaults that depend on other settings. */
export const capabilityDefaults = [${members(settings, 'deriveDefaults')}] as const

/** Conditions that several settings must meet. */
export const capabilityRules = [${spread(members(settings, 'rules'))}] as const
`

/** @type {(file: string, text: string) => string} */
const formatted = (file, text) =>
  execFileSync('node_modules/.bin/biome', ['format', `--stdin-file-path=${file}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  })

/** The generator of each list, by its path below src/. @type {Record<string, () => string>} */
export const capabilityLists = {
  'platform/capability-terms.ts': () =>
    formatted('src/platform/capability-terms.ts', renderTerms()),
  'platform/config/capability-settings.ts': () =>
    formatted('src/platform/config/capability-settings.ts', renderSettings()),
}

if (import.meta.main) {
  for (const [file, render] of Object.entries(capabilityLists)) {
    writeFileSync(join(root, 'src', file), render())
  }
}
