import { describe, expect, it } from 'vitest'
import { checkOpenFiles, connectionsWithin } from './open-files.ts'

describe('the connections of a process', () => {
  it.each([
    [1_000, null, 1_000],
    [1_000, 100_000, 1_000],
    [500, 512, 336],
    [500, 100, 27],
    [500, 20, 1],
    [0, 100, 0],
  ])('are, for a setting of %s and %s files, %s', (max, limit, expected) => {
    expect(connectionsWithin(max, limit)).toBe(expected)
  })

  it('cause a warning where the files do not suffice, whose remedy suffices', () => {
    const [finding] = checkOpenFiles(1_001, 2, 512)
    const files = Number(/ulimit -n\) to (\d+)/.exec(finding?.remedy ?? '')?.[1])

    expect(finding?.message).toContain('at most 672 connections are accepted, and not the 1001')
    expect(checkOpenFiles(1_001, 2, files)).toEqual([])
    expect(checkOpenFiles(1_001, 2, files - 2)).toHaveLength(1)
  })
})
