import { isIPv4 } from 'node:net'
import { type Glob, type GlobStep, parseGlob } from '../../kit/glob.ts'
import { isLoopbackHost } from '../../kit/ip-address.ts'
import { isWebScheme, leadsToApplication } from '../../kit/url-scheme.ts'
import type { TargetPattern } from '../sections/site.ts'
import { collect, list } from './lists.ts'
import { fails, isFailure, type Parser, type Reading, reads } from './parser.ts'

/**
 * Globs of URLs, separated by commas in the environment; commas inside braces separate
 * alternatives. White space around items and empty items are dropped.
 */
export const redirectTargets: Parser<readonly TargetPattern[], readonly string[]> = {
  name: 'list of globs',
  emptyMeansAbsent: true,
  parse: (text) => reads(splitOutsideBraces(text)),
  check: (given) => {
    const texts = list().check(given)
    if (isFailure(texts)) return texts
    const found = collect(texts.value.map(readPattern))
    if (isFailure(found)) return found
    const patterns = found.value.flat()
    const remarks = patterns.flatMap(remarkOn)
    return remarks[0] === undefined ? reads(patterns) : { value: patterns, warning: remarks[0] }
  },
}

function splitOutsideBraces(text: string): string[] {
  const items = ['']
  let depth = 0
  for (const [token] of text.matchAll(/\\?./gsu)) {
    if (token === '{') depth += 1
    if (token === '}') depth -= 1
    if (token === ',' && depth <= 0) items.push('')
    else items.push(items.pop() + token)
  }
  return items.map((item) => item.trim()).filter((item) => item !== '')
}

function readPattern(text: string): Reading<readonly TargetPattern[]> {
  const globs = parseGlob(withBracketsOfAddress(text))
  if (typeof globs === 'string') return fails(globs)
  const patterns = globs.map((glob) => cut(text, glob))
  const problem = patterns.find((pattern) => typeof pattern === 'string')
  if (problem !== undefined) return fails(problem)
  return reads(patterns.filter((pattern) => typeof pattern !== 'string'))
}

/** Escapes the brackets of an IPv6 address, which are not a class of characters. */
const withBracketsOfAddress = (text: string): string =>
  text.replace(/^(https?:\/\/)\[([0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*)\]/i, '$1\\[$2\\]')

/** Splits a pattern into the parts of a URL; returns the problem if it is invalid. */
function cut(text: string, glob: Glob): TargetPattern | string {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(leadingText(glob)) ?? []
  if (scheme === undefined) {
    return 'must start with a scheme without wildcards, such as https:// or myapp://'
  }
  const known = { text, scheme: scheme.toLowerCase() }
  if (!leadsToApplication(known.scheme)) return `must not permit ${known.scheme}: URLs`
  const rest = glob.slice(scheme.length + 1)
  const isWeb = isWebScheme(known.scheme)
  if (!isSlash(rest[0]) || !isSlash(rest[1])) {
    return isWeb ? 'must have "//" after its scheme' : { ...known, authority: null, rest }
  }
  const { authority, path } = cutAtSlash(rest.slice(2))
  if (isWeb && authority.length === 0) return 'must name a host, such as https://app.example.com/**'
  return { ...known, authority: isWeb ? authority.map(lowerCase) : authority, rest: path }
}

/** Returns the part of a pattern before its first wildcard. */
function leadingText(glob: Glob): string {
  const end = glob.findIndex((step) => step.is !== 'character')
  const steps = end === -1 ? glob : glob.slice(0, end)
  return steps.map((step) => (step.is === 'character' ? step.character : '')).join('')
}

function cutAtSlash(steps: Glob): { authority: Glob; path: Glob } {
  const slash = steps.findIndex(isSlash)
  if (slash !== -1) return { authority: steps.slice(0, slash), path: steps.slice(slash) }
  const last = steps.at(-1)
  // A final `**` matches a path as well.
  return { authority: steps, path: last?.is === 'run' && last.crosses ? [last] : [] }
}

const isSlash = (step: GlobStep | undefined): boolean => isCharacter('/', step)

const isCharacter = (character: string, step: GlobStep | undefined): boolean =>
  step?.is === 'character' && step.character === character

const lowerCase = (step: GlobStep): GlobStep =>
  step.is === 'character' ? { ...step, character: step.character.toLowerCase() } : step

/** Returns warnings about patterns that permit more or less than intended. */
function remarkOn({ text, scheme, authority }: TargetPattern): string[] {
  if (!isWebScheme(scheme) || authority === null) return []
  const host = cutBefore(':', authority)
  if (permitsOtherOwners(host)) {
    return [`has ${JSON.stringify(text)}, which permits hosts of any owner`]
  }
  const written = leadingText(host)
  return isIPv4(written) && !isLoopbackHost(written)
    ? [`has ${JSON.stringify(text)}, but loopback is the only address that can be permitted`]
    : []
}

/**
 * Returns whether a wildcard stands in the registered name of a host: below a single label, as in
 * `*.com`, or joined to a name, as in `*example.com`.
 */
function permitsOtherOwners(host: Glob): boolean {
  const lastWildcard = host.findLastIndex((step) => step.is !== 'character')
  if (lastWildcard === -1) return false
  const ending = leadingText(host.slice(lastWildcard + 1))
  const labels = ending.split('.').slice(1)
  return labels.length < 2 && !(labels.length === 1 && isLoopbackHost(labels.join()))
}

function cutBefore(character: string, steps: Glob): Glob {
  const end = steps.findIndex((step) => isCharacter(character, step))
  return end === -1 ? steps : steps.slice(0, end)
}
