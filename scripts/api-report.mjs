import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { exportedDeclarations } from './declarations.mjs'
import { root } from './paths.mjs'

/**
 * Returns the public API as text: each name that a subpath exports, and each type that it refers
 * to, even if that type has no exported name.
 *
 * @param {string} declarations the folder of declarations.
 * @returns {string}
 * @throws Error where they do not compile.
 */
export function apiReport(declarations) {
  // Below node_modules the declarations would belong to a dependency.
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-api-'))
  try {
    cpSync(declarations, folder, { recursive: true })
    cpSync(join(root, 'package.json'), join(folder, 'package.json'))
    writeFileSync(join(folder, entry), allSubpaths())
    const { succeeded } = Extractor.invoke(configOf(folder), {
      localBuild: true,
      messageCallback: silence,
    })
    if (!succeeded) throw new Error('the declarations do not compile')
    return withoutRemarks(readFileSync(join(folder, reportFileName), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const entry = 'all-subpaths.d.ts'
const reportFileName = 'report.api.md'

/**
 * Returns a module with each subpath as a namespace, so that a type of several subpaths occurs
 * once.
 */
const allSubpaths = () =>
  exportedDeclarations()
    .map(({ subpath, types }) => {
      const file = types.replace(/\.d\.ts$/, '.ts')
      return `export * as ${namespaceOf(subpath)} from './${file}'\n`
    })
    .join('')

/**
 * Returns the name of the namespace in which the report lists the names of a subpath.
 *
 * @param {string} subpath
 */
export function namespaceOf(subpath) {
  const name = subpath === '.' ? 'latchkey' : subpath.slice(2)
  return name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
}

/** @param {string} folder */
function configOf(folder) {
  const none = { default: { logLevel: ExtractorLogLevel.None } }
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2024'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  }
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: folder,
      newlineKind: 'lf',
      mainEntryPointFilePath: join(folder, entry),
      compiler: { overrideTsconfig: { compilerOptions, files: [join(folder, entry)] } },
      apiReport: {
        enabled: true,
        reportFileName,
        reportFolder: folder,
        reportTempFolder: folder,
        includeForgottenExports: true,
      },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: none,
        tsdocMessageReporting: none,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
  })
}

/** @param {import('@microsoft/api-extractor').ExtractorMessage} message */
function silence(message) {
  if (message.logLevel !== ExtractorLogLevel.Error) message.handled = true
}

/**
 * Removes the extractor's remarks about comments, which are not part of the API. @param {string}
 * report
 */
const withoutRemarks = (report) =>
  report
    .replace(/^ *\/\/ (?:@public.*|\(undocumented\)|\(No @packageDocumentation.*)\n/gm, '')
    .replace(/^> .*\n\n/m, '')
    .replace(/\n{3,}/g, '\n\n')
