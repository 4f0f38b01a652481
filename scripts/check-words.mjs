// Checks the words of comments, test names, messages and documentation against idioms.mjs, and the
// width of doc comments. Part of `npm run lint`. word-budgets.json contains higher budgets of single
// folders. `--lower` lowers them to the measured figures, and never raises one.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { clauseOpening, idioms } from './idioms.mjs'
import { root } from './paths.mjs'

/** @typedef {{ line: number, kind: 'doc' | 'wide doc' | 'text', text: string }} Prose */
/** @typedef {{ place: string, text: string, write: string }} Finding */
/**
 * @typedef {object} Sum
 * @property {number} words
 * @property {number} docs doc comments.
 * @property {Finding[]} idioms
 * @property {Finding[]} openings
 * @property {Finding[]} wide doc comments with a line over 100 columns.
 */
/**
 * @typedef {{ idioms: number, openings: number, wide: number }} Figures idioms per 1,000 words,
 *   openings and wide ones per 100 doc comments.
 */

const checked = [
  '{src,test,bench,scripts,examples}/**/*.{ts,mjs,js}',
  '*.config.ts',
  '.github/workflows/*.yml',
  'docs/**/*.md',
  '{README,CONTRIBUTING,CHANGELOG,SECURITY}.md',
]
const skipped = ['**/node_modules/**', '**/.*/**', '**/dist/**', '**/*.d.ts']
const budgetsFile = join(root, 'scripts/word-budgets.json')

/** How many findings of a folder are printed. */
const printed = 40

/** The budget of a folder that word-budgets.json does not list. @type {Figures} */
const standard = { idioms: 1, openings: 1, wide: 1 }
const figureNames = /** @type {const} */ (['idioms', 'openings', 'wide'])
const units = {
  idioms: 'idioms per 1,000 words',
  openings: '% of doc comments that begin with a clause',
  wide: '% of doc comments with more than 100 columns',
}

/** A comment, a string, a template with one level of nested templates, or a regular expression. */
export const token =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}|[^`\\])*`|\/(?<=(?:[=(,[!&|?{};:+*%<>~^-]|\breturn)\s*\/)(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])*\//g
const sql =
  /^\s*\(?(?:--|(?:with|select|insert|update|delete|create|alter|drop|lock|from|where|and|set|on|join|union|returning|order|group)\s)/i
const foreign = /[äöüßéèêàç]|\b(?:der|die|das|und|nicht|ist|mit|vous|votre|est|pas|pour|avec)\b/
const notProse = [
  /```[\s\S]*?(?:```|$)/g,
  /`[^`\n]*`/g,
  /\{@\w+[^}]*\}/g,
  /@\w+/g,
  /https?:\/\/\S+/g,
  /\]\([^)\s]*\)/g,
  /<!--[\s\S]*?-->/g,
  /<\/?[a-z][^>\n]*>/gi,
  /[“"][^"”\n]{1,120}["”]/g,
  /\b(?:biome-ignore|eslint-disable)\S*/g,
]

/**
 * Returns the comments of a source file, its test names, and outside tests its sentences in
 * strings.
 *
 * @param {string} path
 * @param {string} source
 * @returns {Prose[]}
 */
function proseOf(path, source) {
  if (path.endsWith('.md')) return [{ line: 1, kind: 'text', text: source }]
  if (path.endsWith('.yml')) {
    // Offsets are kept: a finding states its line.
    return [{ line: 1, kind: 'text', text: source.replace(/^(?!\s*#).*$/gm, '') }]
  }
  const isTest = /^(?:test|bench)\/|\.test\.\w+$/.test(path)
  // URLs and code are not wrapped.
  const isWide = (/** @type {number} */ index, /** @type {string} */ text) =>
    (source.slice(source.lastIndexOf('\n', index) + 1, index) + text)
      .replace(/```[\s\S]*?```|@example[\s\S]*|https?:\S+/g, '')
      .split('\n')
      .some((row) => row.length > 100)
  return [...source.matchAll(token)].flatMap(({ 0: text, index }) => {
    const line = source.slice(0, index).split('\n').length
    if (text.startsWith('/*')) {
      const body = text.replace(/^\/\*+|\*+\/$/g, '').replace(/^[ \t]*\*/gm, ' ')
      const kind = text.startsWith('/**') ? (isWide(index, text) ? 'wide doc' : 'doc') : 'text'
      return [{ line, kind, text: body }]
    }
    if (text.startsWith('//'))
      return [{ line, kind: 'text', text: text.replace(/^[ \t]*\/\//gm, '') }]
    if (text.startsWith('/')) return []
    const before = source.slice(Math.max(0, index - 80), index)
    const body = text.slice(1, -1).replace(/\\'/g, "'")
    const isNamed = /(?:\b(?:describe|it|test|Error)(?:\.\w+)*|\))\(\s*$/.test(before)
    const isSentence = body.split(/\s+/).length > 3 && !sql.test(body) && !foreign.test(body)
    return isNamed || (!isTest && isSentence) ? [{ line, kind: 'text', text: body }] : []
  })
}

/** @returns {Sum} */
const emptySum = () => ({ words: 0, docs: 0, idioms: [], openings: [], wide: [] })

/**
 * Counts words, doc comments and findings of one file.
 *
 * @param {string} path its path below the root.
 * @param {string} source its content.
 * @returns {Sum}
 */
export function countIn(path, source) {
  /** @type {Sum} */
  const sum = emptySum()
  for (const { line, kind, text } of proseOf(path, source)) {
    // Offsets are kept: a finding states its line.
    const prose = notProse.reduce(
      (rest, one) => rest.replace(one, (match) => match.replace(/[^\n]/g, ' ')),
      text,
    )
    const flat = prose.replace(/\n/g, ' ')
    const words = flat.match(/[A-Za-z][A-Za-z'’-]*/g) ?? []
    sum.words += words.length
    const placeAt = (/** @type {number} */ offset) =>
      `${path}:${line + prose.slice(0, offset).split('\n').length - 1}`
    for (const { pattern, write } of idioms) {
      for (const match of flat.matchAll(pattern)) {
        const at = match.index + match[0].search(/\w/)
        sum.idioms.push({ place: placeAt(at), text: match[0].trim(), write })
      }
    }
    if (kind === 'text' || words.length === 0) continue
    sum.docs++
    const beginning = { place: placeAt(flat.search(/\w/)), text: words.slice(0, 4).join(' ') }
    if (clauseOpening.test(flat.trim())) {
      sum.openings.push({ ...beginning, write: 'a noun phrase, or a verb in the third person' })
    }
    if (kind === 'wide doc') sum.wide.push({ ...beginning, write: 'lines of 100 columns' })
  }
  return sum
}

/** Returns the sum of each folder, and of each file in the root. */
function countFolders() {
  /** @type {Map<string, Sum>} */
  const folders = new Map()
  for (const path of globSync(checked, { cwd: root, exclude: skipped }).sort()) {
    const [top = '', below, ...rest] = path.split('/')
    const folder = /^(?:src|test)$/.test(top) && rest.length > 0 ? `${top}/${below}` : top
    const sum = folders.get(folder) ?? emptySum()
    const one = countIn(path, readFileSync(join(root, path), 'utf8'))
    folders.set(folder, {
      words: sum.words + one.words,
      docs: sum.docs + one.docs,
      idioms: [...sum.idioms, ...one.idioms],
      openings: [...sum.openings, ...one.openings],
      wide: [...sum.wide, ...one.wide],
    })
  }
  return folders
}

/** @param {Sum} sum @returns {Figures} */
const figuresOf = ({ words, docs, idioms, openings, wide }) => ({
  idioms: (1000 * idioms.length) / Math.max(1, words),
  openings: (100 * openings.length) / Math.max(1, docs),
  wide: (100 * wide.length) / Math.max(1, docs),
})

/**
 * Returns the figures of a folder that exceed its budget, each with the first findings, a line
 * each.
 *
 * @param {string} folder
 * @param {Sum} sum
 * @param {Figures} budget
 */
export function excessOf(folder, sum, budget) {
  const figures = figuresOf(sum)
  return figureNames.flatMap((name) =>
    figures[name] <= budget[name]
      ? []
      : [
          `${folder}: ${figures[name].toFixed(1)} ${units[name]} exceed ${budget[name]}`,
          ...sum[name]
            .slice(0, printed)
            .map(({ place, text, write }) => `  ${place}: "${text}"; write ${write}`),
        ],
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  /** @type {Record<string, Figures>} */
  const budgets = JSON.parse(readFileSync(budgetsFile, 'utf8'))
  const folders = countFolders()
  if (process.argv.includes('--lower')) {
    const lowered = Object.entries(budgets).flatMap(([folder, budget]) => {
      const sum = folders.get(folder)
      if (!sum) return []
      const figures = figuresOf(sum)
      const lower = (/** @type {keyof Figures} */ name) =>
        Math.max(standard[name], Math.min(budget[name], Math.ceil(figures[name])))
      const next = Object.fromEntries(figureNames.map((name) => [name, lower(name)]))
      return figureNames.some((name) => lower(name) > standard[name]) ? [[folder, next]] : []
    })
    writeFileSync(budgetsFile, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`)
  } else {
    for (const [folder, sum] of folders) {
      const lines = excessOf(folder, sum, budgets[folder] ?? standard)
      for (const line of lines) console.error(line)
      if (lines.length > 0) process.exitCode = 1
    }
  }
}
