/** One step of a pattern: the permitted next character, or the characters of a run. */
export type GlobStep =
  | { is: 'character'; character: string }
  | { is: 'class'; ranges: readonly CharacterRange[]; negated: boolean }
  /** `?` */
  | { is: 'any' }
  /** `*`, and `**`, which crosses separators. */
  | { is: 'run'; crosses: boolean }

type CharacterRange = readonly [first: string, last: string]

/** A pattern without alternatives. Plain data, so that a caller can split it. */
export type Glob = readonly GlobStep[]

/** A limit above the number of alternatives in practice. */
const maxGlobs = 256

const separators = new Set(['.', '/'])

/**
 * Parses a pattern: `*` and `?` match all characters except `.` and `/`, `**` matches any, `[a-z]`
 * and `[!a-z]` one character, `{a,b}` alternatives; `\` escapes the next character.
 *
 * @returns one glob for each combination of alternatives; or the error, such as `has no …`.
 */
export function parseGlob(pattern: string): readonly Glob[] | string {
  const reader: Reader = { characters: [...pattern], at: 0 }
  try {
    return readSequence(reader, false)
  } catch (error) {
    if (error instanceof Malformed) return error.message
    throw error
  }
}

/**
 * Reports whether a whole text matches.
 *
 * All positions in the pattern that the text so far can reach are followed at once. A regular
 * expression would try them one after the other, which takes time polynomial in the length.
 */
export function matchesGlob(glob: Glob, text: string): boolean {
  let places = reach(glob, [0])
  for (const character of text) {
    if (places.size === 0) return false
    places = reach(glob, placesAfter(glob, places, character))
  }
  return places.has(glob.length)
}

function* placesAfter(glob: Glob, places: Iterable<number>, character: string) {
  for (const place of places) {
    const step = glob[place]
    if (step && takes(step, character)) yield step.is === 'run' ? place : place + 1
  }
}

/** Returns these positions, and those after runs, which may be empty. */
function reach(glob: Glob, places: Iterable<number>): Set<number> {
  const reached = new Set(places)
  // A set is iterated in order of insertion, including elements added meanwhile.
  for (const place of reached) if (glob[place]?.is === 'run') reached.add(place + 1)
  return reached
}

function takes(step: GlobStep, character: string): boolean {
  if (step.is === 'character') return step.character === character
  if (step.is === 'class') {
    return step.negated !== step.ranges.some(([first, last]) => isBetween(character, first, last))
  }
  return (step.is === 'run' && step.crosses) || !separators.has(character)
}

const isBetween = (character: string, first: string, last: string): boolean =>
  codePoint(first) <= codePoint(character) && codePoint(character) <= codePoint(last)

const codePoint = (character: string): number => character.codePointAt(0) ?? 0

class Malformed extends Error {}

interface Reader {
  characters: readonly string[]
  at: number
}

const peek = ({ characters, at }: Reader): string | undefined => characters[at]

/** Returns the next character. @throws Malformed if the pattern ends. */
function take(reader: Reader, missing: string): string {
  const character = peek(reader)
  if (character === undefined) throw new Malformed(`has no ${missing}`)
  reader.at += 1
  return character
}

function readSequence(reader: Reader, isAlternative: boolean): Glob[] {
  let globs: Glob[] = [[]]
  for (let next = peek(reader); next !== undefined; next = peek(reader)) {
    if (isAlternative && (next === ',' || next === '}')) break
    const ways = readPart(reader)
    globs = globs.flatMap((glob) => ways.map((way) => [...glob, ...way]))
    if (globs.length > maxGlobs) throw new Malformed(`has more than ${maxGlobs} alternatives`)
  }
  return globs
}

function readPart(reader: Reader): Glob[] {
  const character = take(reader, 'character')
  if (character === '{') return readAlternatives(reader)
  if (character === '[') return [[readClass(reader)]]
  if (character === '?') return [[{ is: 'any' }]]
  if (character === '*') return [[readRun(reader)]]
  return [[{ is: 'character', character: unescaped(reader, character) }]]
}

function readRun(reader: Reader): GlobStep {
  const crosses = peek(reader) === '*'
  while (peek(reader) === '*') reader.at += 1
  return { is: 'run', crosses }
}

function readAlternatives(reader: Reader): Glob[] {
  const globs: Glob[] = []
  for (let end = ','; end === ','; end = take(reader, '"}" for its "{"')) {
    globs.push(...readSequence(reader, true))
  }
  return globs
}

function readClass(reader: Reader): GlobStep {
  const negated = peek(reader) === '!'
  if (negated) reader.at += 1
  const ranges: CharacterRange[] = []
  for (;;) {
    const first = take(reader, '"]" for its "["')
    if (first === ']') break
    ranges.push(readRange(reader, unescaped(reader, first)))
  }
  if (ranges.length === 0) throw new Malformed('has an empty "[]"')
  return { is: 'class', ranges, negated }
}

function readRange(reader: Reader, first: string): CharacterRange {
  const { characters, at } = reader
  if (characters[at] !== '-' || characters[at + 1] === ']') return [first, first]
  reader.at += 1
  const last = unescaped(reader, take(reader, '"]" for its "["'))
  if (codePoint(last) < codePoint(first)) {
    throw new Malformed(`has the range "${first}-${last}", which ends before it starts`)
  }
  return [first, last]
}

const unescaped = (reader: Reader, character: string): string =>
  character === '\\' ? take(reader, 'character after its last "\\"') : character
