/** Reads the interfaces of the public API from the sources: members, fields, doc comments. */

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
// TypeScript 7 has no compiler API. API Extractor has the last version with one.
import ts from '../node_modules/@microsoft/api-extractor/node_modules/typescript/lib/typescript.js'

const root = join(import.meta.dirname, '../src')

export interface ApiField {
  name: string
  type: string
  isOptional: boolean
  doc: string
  /** The text of `@throws`; empty without one. */
  throws: string
}

export interface ApiMethod {
  name: string
  /** `listSessions(input: …): Promise<SessionInfo[]>`, one for each overload. */
  signatures: string[]
  parameters: { name: string; type: ts.TypeNode; isOptional: boolean }[]
  /** The texts of `@param`, by parameter or, after a point, by a field of it. */
  paramDocs: ReadonlyMap<string, string>
  result: ts.TypeNode
  doc: string
  throws: string
}

/** Returns the declarations of exported types by name. No two types share a name. */
export function readTypes(): ReadonlyMap<
  string,
  ts.InterfaceDeclaration | ts.TypeAliasDeclaration
> {
  const types = new Map<string, ts.InterfaceDeclaration | ts.TypeAliasDeclaration>()
  for (const file of globSync('**/*.ts', { cwd: root })) {
    if (/\.(?:test|d)\.ts$/.test(file)) continue
    const text = readFileSync(join(root, file), 'utf8')
    if (!/export (?:interface|type) /.test(text)) continue
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
    for (const one of source.statements) {
      if (!ts.isInterfaceDeclaration(one) && !ts.isTypeAliasDeclaration(one)) continue
      if (isExported(one) && !types.has(one.name.text)) types.set(one.name.text, one)
    }
  }
  return types
}

/** Returns the words of exported lists, such as `export const names = ['one'] as const`. */
export function readLists(): ReadonlyMap<string, readonly string[]> {
  const lists = new Map<string, readonly string[]>()
  for (const file of globSync('**/*.ts', { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, name = '', words = ''] of text.matchAll(
      /^export const (\w+) = \[([^\]]*)\] as const/gm,
    )) {
      const found = words.match(/'[^']*'/g)
      if (found) lists.set(name, found)
    }
  }
  return lists
}

const isExported = (one: ts.Node): boolean =>
  ts.canHaveModifiers(one) &&
  (ts.getModifiers(one) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

/** Returns the text of a node on one line. */
export const textOf = (node: ts.Node): string =>
  node
    .getText()
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('( ', '(')
    .replaceAll(', )', ')')
    .replaceAll(/ \| undefined/g, '')
    .trim()
    .replace(/^\| /, '')

/** Returns a doc comment without its tags, its links as code, on one line per paragraph. */
export function docOf(node: ts.Node): string {
  const [comment] = ts
    .getJSDocCommentsAndTags(node)
    .filter((one) => ts.isJSDoc(one))
    .slice(-1)
  return comment ? plain(ts.getTextOfJSDocComment(comment.comment) ?? '') : ''
}

const plain = (text: string): string =>
  text
    .replaceAll(/\{@link (\S+?)\}/g, '`$1`')
    .replaceAll(/`docs\/(\S+?\.md)`/g, '[$1]($1)')
    .replaceAll(/([^\n])\n(?!\n)/g, '$1 ')
    .trim()

/** Returns the text of `@throws`. */
function throwsOf(node: ts.Node): string {
  const tags = ts.getJSDocTags(node).filter(({ tagName }) => tagName.text === 'throws')
  // The parser reads the name of the error as a type.
  return tags
    .map((tag) =>
      tag
        .getText()
        .replace(/^@throws\s+/, '')
        .replaceAll(/\s*\n\s*\*?\s*/g, ' ')
        .trim(),
    )
    .join(' ')
}

/** Returns the methods of an interface in the order of the source. */
export function methodsOf(declaration: ts.InterfaceDeclaration): Map<string, ApiMethod> {
  const methods = new Map<string, ApiMethod>()
  for (const member of declaration.members) {
    if (!ts.isMethodSignature(member) || !member.type) continue
    const name = member.name.getText()
    const signature = textOf(member)
    const known = methods.get(name)
    if (known) {
      known.signatures.push(signature)
      known.doc += `\n\n${docOf(member)}`
      known.throws += ` ${throwsOf(member)}`
      continue
    }
    methods.set(name, {
      name,
      signatures: [signature],
      result: member.type,
      doc: docOf(member),
      throws: throwsOf(member),
      paramDocs: paramDocsOf(member),
      parameters: member.parameters.map((parameter) => ({
        name: parameter.name.getText(),
        type: parameter.type as ts.TypeNode,
        isOptional: parameter.questionToken !== undefined,
      })),
    })
  }
  return methods
}

const paramDocsOf = (member: ts.Node): Map<string, string> =>
  new Map(
    [...member.getFullText().matchAll(/@param (?:\w+\.)?(\w+) ([\s\S]*?)(?=\n\s*\* @|\*\/)/g)].map(
      ([, name = '', text = '']) => [name, plain(text.replaceAll(/\s*\n\s*\*\s*/g, ' '))],
    ),
  )

/** Returns a property of an interface. */
export function propertyOf(declaration: ts.InterfaceDeclaration, name: string): ApiField | null {
  const member = declaration.members.find((one) => one.name?.getText() === name)
  return member && ts.isPropertySignature(member) ? fieldOf(member) : null
}

const fieldOf = (member: ts.PropertySignature): ApiField => ({
  name: member.name.getText(),
  type: member.type ? textOf(member.type) : 'unknown',
  isOptional: member.questionToken !== undefined,
  doc: docOf(member),
  throws: throwsOf(member),
})

export type Types = ReturnType<typeof readTypes>

/**
 * Returns the fields of an object type: own ones, inherited ones, and those of intersections and
 * `Pick`. Null for a type that is no object, such as a union.
 */
export function fieldsOf(types: Types, type: ts.TypeNode): ApiField[] | null {
  if (ts.isParenthesizedTypeNode(type)) return fieldsOf(types, type.type)
  if (ts.isTypeLiteralNode(type)) return type.members.filter(ts.isPropertySignature).map(fieldOf)
  if (ts.isIntersectionTypeNode(type)) return joined(type.types.map((one) => fieldsOf(types, one)))
  if (!ts.isTypeReferenceNode(type)) return null
  return fieldsOfName(types, type.typeName.getText(), type.typeArguments ?? [])
}

export function fieldsOfName(
  types: Types,
  name: string,
  args: readonly ts.TypeNode[] = [],
): ApiField[] | null {
  const [first, second] = args
  if (name === 'Partial' && first) {
    return fieldsOf(types, first)?.map((one) => ({ ...one, isOptional: true })) ?? null
  }
  if (name === 'Pick' && first && second) {
    const kept = second.getText()
    return fieldsOf(types, first)?.filter((one) => kept.includes(`'${one.name}'`)) ?? null
  }
  const found = types.get(name)
  if (!found) return null
  if (ts.isTypeAliasDeclaration(found)) return fieldsOf(types, found.type)
  const own = found.members.filter(ts.isPropertySignature).map(fieldOf)
  const inherited = (found.heritageClauses ?? []).flatMap((clause) =>
    clause.types.map((one) =>
      fieldsOfName(types, one.expression.getText(), one.typeArguments ?? []),
    ),
  )
  return joined([own, ...inherited])
}

/** Joins lists of fields. The first of a name is kept. */
function joined(lists: readonly (ApiField[] | null)[]): ApiField[] | null {
  if (lists.includes(null)) return null
  const byName = new Map<string, ApiField>()
  for (const one of lists.flatMap((list) => list ?? [])) {
    if (!byName.has(one.name)) byName.set(one.name, one)
  }
  return [...byName.values()]
}

/** Returns the names of the types that a text refers to. */
export const namesIn = (types: Types, text: string): string[] =>
  [...new Set(text.match(/\b[A-Z]\w+/g) ?? [])].filter((name) => types.has(name))
