// `npm run release:verify -- v1.2.3`: checks that the package to publish has that version.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.mjs'

const [tag = ''] = process.argv.slice(2)
const read = (/** @type {string} */ file) => readFileSync(join(root, file), 'utf8')
const { version } = JSON.parse(read('package.json'))
const problems = [
  tag !== `v${version}` && `the tag ${tag} is not v${version} of package.json`,
  JSON.parse(read('package-lock.json')).version !== version &&
    'package-lock.json has another version',
  JSON.parse(read('docs/openapi.json')).info.version !== version && 'run npm run docs first',
  !read('CHANGELOG.md').includes(`\n## ${version} `) && `CHANGELOG.md has no entry ${version}`,
].filter((problem) => problem !== false)

for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
