/** Reads the examples of docs/api.md from the test that runs them. */

import { regionsOf } from './regions.ts'

const file = 'test/api-examples.test.ts'

export const exampleNames = (): string[] => [...regionsOf(file).keys()]

/**
 * Returns a function that returns the example of a member, such as `auth.api.signUp`. It throws an
 * error for one without an example.
 */
export function exampleReader(): (name: string) => string {
  const examples = regionsOf(file)
  return (name) => {
    const code = examples.get(name)
    if (code === undefined) throw new Error(`${file} has no example of ${name}`)
    return code
  }
}
