/** Reads the examples of docs/api.md from the test that runs them. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, '../test/api-examples.test.ts')

const region = /^( *)\/\/ #region (auth\S*)\n([\s\S]*?)\n *\/\/ #endregion$/gm

/** Returns the examples by member, such as `auth.api.signUp`, without their indentation. */
function readExamples(): Map<string, string> {
  const source = readFileSync(file, 'utf8')
  return new Map(
    [...source.matchAll(region)].map(([, indent = '', name = '', code = '']) => [
      name,
      code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    ]),
  )
}

export const exampleNames = (): string[] => [...readExamples().keys()]

/** @throws Error when the test has no example of the member. */
export function exampleReader(): (name: string) => string {
  const examples = readExamples()
  return (name) => {
    const code = examples.get(name)
    if (code === undefined) throw new Error(`test/api-examples.test.ts has no example of ${name}`)
    return code
  }
}
