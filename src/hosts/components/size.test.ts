import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { bundle } from '../../../test/support/components/bundle.ts'

const maxBytes = 3 * 1024

it.each(['react', 'vue', 'svelte'])('latchkey/%s has at most 3 KiB, gzipped', async (name) => {
  const code = await bundle(`export * from 'latchkey/${name}'`, 'browser', {
    minify: true,
    external: [name, `${name}/*`],
    define: { 'process.env.NODE_ENV': '"production"' },
  })

  const { length } = gzipSync(code)
  expect(length).toBeGreaterThan(500)
  expect(length).toBeLessThanOrEqual(maxBytes)
})
